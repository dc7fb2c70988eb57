"""Lists the kinds of recorded case that ``python -m tests.conform`` recognises."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pieslice.data import Content
from tests.conform.configuration.kinds import CONFIG_KINDS
from tests.conform.language.evaluation import LANGUAGE_KINDS
from tests.conform.language.printing import PRINTING_KINDS
from tests.conform.language.versions import VERSION_KINDS
from tests.conform.negotiation.accounting import ACCOUNTING_KINDS
from tests.conform.negotiation.between import BETWEEN_KINDS
from tests.conform.negotiation.cycles import CYCLE_KINDS
from tests.conform.negotiation.forecast import FORECAST_KINDS
from tests.conform.negotiation.pools import POOL_KINDS
from tests.conform.negotiation.quotas import QUOTA_KINDS
from tests.conform.negotiation.sorting import SORT_KINDS
from tests.conform.negotiation.userprio import USERPRIO_KINDS
from tests.conform.runner import Case, Kind, unplayed
from tests.conform.transforms.kinds import TRANSFORM_KINDS

_NOT_SUPPORTED: Final = "kind not supported"


def _statements(content: Content) -> Iterable[Case] | None:
    """The runs behind single statements about the negotiator."""
    is_ours = isinstance(content, dict) and {"about", "slot", "checks"} == content.keys()
    return [{"statement": check, **check} for check in content["checks"]] if is_ours else None


#: Kinds that are known and that nothing here computes.
UNPLAYED: Final = (
    unplayed("statement", _NOT_SUPPORTED, lambda case: "statement" in case, _statements),
)
#: In the order in which a case is offered to them.
KINDS: Final[tuple[Kind, ...]] = (
    *UNPLAYED,
    *BETWEEN_KINDS,
    *VERSION_KINDS,
    *LANGUAGE_KINDS,
    *PRINTING_KINDS,
    *CONFIG_KINDS,
    *USERPRIO_KINDS,
    *FORECAST_KINDS,
    *ACCOUNTING_KINDS,
    *QUOTA_KINDS,
    *CYCLE_KINDS,
    *POOL_KINDS,
    *SORT_KINDS,
    *TRANSFORM_KINDS,
)
