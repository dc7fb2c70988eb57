"""Gives the JSON schemas of all documents.

``pieslice.reports.schema`` makes each from the class of its documents, when it is asked for.

Inputs: the name of a schema.  Outputs: the schema.  Raises ``NotFoundError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from pieslice.api.errors import NotFoundError
from pieslice.data import JsonObject
from pieslice.reports.document import Document
from pieslice.reports.names import meant_or_known
from pieslice.reports.schema import schema_of

#: Name -> the module and the class of the documents.
SCHEMAS: Final[Mapping[str, tuple[str, str]]] = {
    "alert": ("alerts.telling", "AlertEvent"),
    "alerts": ("alerts.telling", "AlertsTold"),
    "capture": ("live.answer", "Captured"),
    "check": ("policies.answers", "Check"),
    "checks": ("policies.formats", "Checks"),
    "config": ("policies.documents", "MacroListing"),
    "config-info": ("policies.documents", "MacroInfo"),
    "cycles": ("negotiate.answer", "Cycles"),
    "diff": ("why.differences", "Changes"),
    "doctor": ("doctor.document", "DoctorDocument"),
    "eval": ("expressions.document", "Evaluated"),
    "forecast": ("forecast.command", "Forecast"),
    "found": ("partitions.asking", "Found"),
    "fuzz": ("fuzzing.text", "Counterexamples"),
    "history": ("history.answers", "HistoryTold"),
    "history-job": ("history.answers", "LifeTold"),
    "map-test": ("policies.documents", "MappedNames"),
    "negotiate": ("negotiate.answer", "Cycle"),
    "negotiators": ("negotiate.answer", "Negotiators"),
    "policy": ("policies.answers", "Policy"),
    "policy-diff": ("policies.documents", "PolicyDifference"),
    "policy-eval": ("policies.eval", "ValueDocument"),
    "policy-grid": ("policies.eval", "GridDocument"),
    "quotas": ("why.quotas", "Quotas"),
    "rank": ("why.ranking", "Ranked"),
    "report": ("runreport.comparison", "Report"),
    "route": ("transforms.routed", "Routed"),
    "shadow": ("shadow.report", "Score"),
    "shadow-cycle": ("shadow.outcome", "Outcome"),
    "simulate": ("simulation.answers", "OneRun"),
    "simulate-compare": ("simulation.answers", "Compared"),
    "simulate-seeds": ("simulation.answers", "Seeds"),
    "sweep": ("sweeps.answers", "Swept"),
    "table": ("reports.result", "DataTable"),
    "transform": ("transforms.transformed", "Transformed"),
    "userprio": ("priorities.answers", "Priorities"),
    "versions": ("negotiate.versions", "VersionRules"),
    "watch": ("shadow.whatif", "Gains"),
    "watch-cycle": ("shadow.whatif", "WatchedCycle"),
    "when": ("history.answers", "StartTold"),
    "why": ("why.answer", "Explained"),
    "why-jobs": ("why.autoclusters", "Surveyed"),
}


def schema(name: str) -> JsonObject:
    """The JSON schema of the documents ``pieslice/NAME/VERSION``; raises ``NotFoundError``."""
    if name not in SCHEMAS:
        raise NotFoundError(f"there is no schema `{name}`{meant_or_known(name, [*SCHEMAS])}")
    return schema_of(document_class(name))


def document_class(name: str) -> type[Document]:
    """The class of the documents of a schema."""
    module, kind = SCHEMAS[name]
    found: type[Document] = getattr(import_module(f"pieslice.{module}"), kind)
    return found
