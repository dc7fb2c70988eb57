"""Draws conclusions about the expressions of a policy: always true, never true, one number for all.

What cannot be told from constants alone, of which flattening leaves a value, follows from what
HTCondor's attributes can be.
Inputs: a ``Config``, a macro, its expression.  Outputs: ``Conclusion``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from attr import frozen

from policy.config import Config
from policy.knobs.declaration import Wanted
from policy.knobs.uses import find_use
from policy.values.domain import ANYTHING, Abstract, single_number
from policy.values.evaluation import Evaluation
from policy.values.surroundings import Surroundings, names_of_its_own, undefaulted

if TYPE_CHECKING:
    from classad.ads.expression import Expression


@frozen
class Conclusion:
    """What an expression can come to.

    ``settled``: it is the same for all, and that is ``value``; a condition that may be undefined in
    place of false is settled as False.
    """

    settled: bool
    value: object = None
    #: It is written as a constant; otherwise it speaks of attributes that do not matter.
    plain: bool = True

    @property
    def is_true(self) -> bool:
        """Is it always true, as a condition?"""
        return self.settled and self.value.__class__ in (bool, int, float) and bool(self.value)

    @property
    def is_never_true(self) -> bool:
        """Is there nothing for which it is true?"""
        return self.settled and not self.is_true


def conclude(config: Config, macro: str, tree: Expression) -> Conclusion:
    """The conclusion about the expression of a macro."""
    settled, value = constant_value(tree)
    if settled:
        return Conclusion(True, value)
    use = find_use(macro)
    if use is None:
        return Conclusion(False)
    where = Surroundings(use, published(config), undefaulted=undefaulted(config))
    found = Evaluation(tree.node, where.look_up).value
    if use.wanted is Wanted.NUMBER:
        number = single_number(found)
        return Conclusion(number is not None, number, plain=False)
    if use.wanted is Wanted.ANY:
        return Conclusion(False)
    if use.wanted is Wanted.CONDITION:
        found = found.condition()
    if True not in found.truths:
        return Conclusion(True, False, plain=False)
    always = found == Abstract(truths=frozenset({True}))
    return Conclusion(always, True if always else None, plain=False)


def published(config: Config) -> Mapping[str, Abstract]:
    """The attributes that the configuration puts into ads, which can be anything."""
    names = names_of_its_own(config.scope.table)
    return dict.fromkeys((name.casefold() for name in names), ANYTHING)


def constant_value(tree: Expression) -> tuple[bool, object]:
    """Whether an expression has the same value for every slot and job, and that value."""
    from classad import ClassAd
    from classad.analysis.flatten import flatten
    from classad.evaluation.functions import Reads, lookup_function
    from classad.syntax.nodes import Call, walk

    calls = (lookup_function(node.name) for node in walk(tree.node) if isinstance(node, Call))
    if any(function.varies_with(*Reads) for function in calls if function is not None):
        return False, None
    found = flatten(ClassAd(), tree)
    return found.ok and found.tree is None, found.value


def mentions(tree: Expression, *names: str) -> bool:
    """Does it refer to one of these attributes, in whatever scope?"""
    from classad.syntax.nodes import Reference, walk

    wanted = {name.casefold() for name in names}
    return any(
        isinstance(node, Reference) and node.name.casefold() in wanted for node in walk(tree.node)
    )
