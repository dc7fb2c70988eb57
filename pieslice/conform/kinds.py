"""Lists the kinds of recorded case that ``pieslice conform`` recognises."""

from __future__ import annotations

from typing import Final

from pieslice.conform.configuration.kinds import CONFIG_KINDS
from pieslice.conform.language.evaluation import LANGUAGE_KINDS
from pieslice.conform.language.printing import PRINTING_KINDS
from pieslice.conform.negotiation.accounting import ACCOUNTING_KINDS
from pieslice.conform.negotiation.cycles import CYCLE_KINDS
from pieslice.conform.negotiation.forecast import FORECAST_KINDS
from pieslice.conform.negotiation.pools import POOL_KINDS
from pieslice.conform.negotiation.quotas import QUOTA_KINDS
from pieslice.conform.negotiation.sorting import SORT_KINDS
from pieslice.conform.negotiation.userprio import USERPRIO_KINDS
from pieslice.conform.runner import Kind

#: In the order in which a case is offered to them.
KINDS: Final[tuple[Kind, ...]] = (
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
)
