"""Keeps the variables of a job's transforms, over the macros of the configuration.

Inputs: a configuration, and the job whose attributes ``$(MY.name)`` stands for.
Outputs: expanded texts.
Follows: condor_transform_ads 25.14.1 (vectors ``transforms``).
"""

from __future__ import annotations

from collections.abc import Callable

from attr import define, evolve, field, frozen

from classad.evaluate import EvalContext, evaluate
from policy.config import Config
from policy.language.functions import Functions
from policy.language.macros import Expander, MacroReference, replace_self
from policy.language.table import Definition
from policy.transforms.job import TransformedJob, bare_text
from policy.transforms.rules import expression

_ORIGIN = "<transform>"
_OWN = "my."


@frozen
class JobFunctions(Functions):
    """The functions, of which ``$EVAL()`` sees the ad of the job."""

    of_job: Callable[[str], object] = lambda text: None

    def call(self, reference: MacroReference, expander: Expander) -> str:
        if reference.function == "EVAL":
            return Functions.call(evolve(self, evaluate=self.of_job), reference, expander)
        return Functions.call(self, reference, expander)


@define(eq=False)
class Variables:
    """The variables of one job; ``report`` receives what functions complain of.

    ``context``: clock and random numbers of evaluations.
    """

    config: Config
    job: TransformedJob
    context: EvalContext
    report: Callable[[str], None] = lambda message: None
    values: dict[str, Definition] = field(factory=dict)
    live: dict[str, Definition] = field(factory=dict)
    _found: dict[str, Definition | None] = field(factory=dict)

    def lookup(self, name: str) -> Definition | None:
        """What ``name`` stands for: a variable, an attribute of the job, a macro."""
        folded = name.casefold()
        found = self.values.get(folded) or self.live.get(folded)
        if found is not None:
            return found
        if folded.startswith(_OWN):
            value = self.job.get(name[len(_OWN) :])
            return None if value is None else Definition(name, bare_text(value), _ORIGIN)
        if folded not in self._found:
            self._found[folded] = self.config.lookup(name)
        return self._found[folded]

    def is_defined(self, name: str) -> bool:
        """Does ``defined NAME`` hold?"""
        found = self.lookup(name)
        return found is not None and (bool(found.raw) or name.casefold().startswith(_OWN))

    def expand(self, text: str) -> str:
        """``text`` without references; raises ``ExpansionError``."""
        return self.expander().expand(text) if "$" in text else text

    def expander(self) -> Expander:
        """Expands texts with the values of now."""
        base = self.config.scope.functions
        functions = JobFunctions(
            base.environment, lambda: self.context.rng, base.evaluate, base.unparse, self.report,
            base.directory, self._evaluated,
        )  # fmt: skip
        return Expander(self.lookup, functions.call)

    def _evaluated(self, text: str) -> object:
        tree = expression(text)
        return None if tree is None else evaluate(tree, self.job.ad, context=self.context)

    def assign(self, name: str, value: str, joiner: str | None = None) -> None:
        """Carry out ``name = value``; references to the name itself stand for its present value."""
        folded = name.casefold()
        current = self.lookup(name)
        if joiner is not None and current is not None and current.raw:
            value = current.raw + joiner + value
        if "$" in value:
            present = "" if current is None else current.raw
            value = replace_self(
                value, lambda n: n.casefold() == folded, lambda n: present, self.expander()
            )
        self.put(name, value)

    def put(self, name: str, value: str) -> None:
        """Give a variable a text."""
        self.values[name.casefold()] = Definition(name, value, _ORIGIN)

    def set_live(self, values: dict[str, str]) -> None:
        """Give the variables of a pass their texts."""
        self.live = {
            name.casefold(): Definition(name, text, _ORIGIN) for name, text in values.items()
        }
