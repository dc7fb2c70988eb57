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
from pieslice.reports.document import DOCUMENTS, Document
from pieslice.reports.names import meant_or_known
from pieslice.reports.schema import schema_of

#: The modules that declare documents.
_MODULES: Final = (
    "alerts.telling", "doctor.document", "expressions.document", "forecast.command",
    "fuzzing.text", "history.answers", "live.answer", "negotiate.answer", "negotiate.document",
    "negotiate.versions", "partitions.asking", "policies.answers", "policies.documents",
    "policies.eval", "policies.formats", "priorities.answers", "reports.result",
    "runreport.comparison", "shadow.outcome", "shadow.report", "shadow.whatif",
    "simulation.answers", "sweeps.answers", "transforms.routed", "transforms.transformed",
    "why.answer", "why.autoclusters", "why.differences", "why.quotas", "why.ranking",
)  # fmt: skip


def document_classes() -> Mapping[str, type[Document]]:
    """The classes of documents by the names of their schemas."""
    modules = {import_module(f"pieslice.{module}").__name__ for module in _MODULES}
    return {
        schema.split("/")[1]: kind
        for schema, kind in sorted(DOCUMENTS.items())
        if kind.__module__ in modules
    }


def schema(name: str) -> JsonObject:
    """The JSON schema of the documents ``pieslice/NAME/VERSION``; raises ``NotFoundError``."""
    known = document_classes()
    if name not in known:
        raise NotFoundError(f"there is no schema `{name}`{meant_or_known(name, [*known])}")
    return schema_of(known[name])
