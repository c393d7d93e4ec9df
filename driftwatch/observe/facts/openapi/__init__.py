"""The openapi observer: one document in, the facts of its operations and shared schemas out. Pure but for ``load``.

Facts live at ``http:METHOD /path`` (the operation), below it (``#query.limit``, ``#body``, ``#body.model``,
``#response.200``, ``#response.200[].id``), at ``schema:Name#path`` for what several operations share, and at
``event:NAME#properties.status`` for the members of event unions. Values are the
shapes of ``shape.py``. Key order, prose and ``x-`` extensions are not in them; ``allOf`` is merged; the spellings of
nullable, of bounds and of literals in OpenAPI 3.0 and 3.1 are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.model import Gap, Observed
from driftwatch.observe.facts.openapi.aliases import aliases
from driftwatch.observe.facts.openapi.document import load, load_file
from driftwatch.observe.facts.openapi.normal import Normal
from driftwatch.observe.facts.openapi.operations import Operations, operation_address
from driftwatch.observe.facts.openapi.refs import Refs
from driftwatch.observe.facts.openapi.shape import Shapes
from driftwatch.observe.facts.openapi.unions import components, events
from driftwatch.observe.uncollected import uncollected

__all__ = ["load", "load_file", "observe", "operation_address"]


def observe(document: dict[str, Any], unions: Sequence[str] | None = None) -> Observed:
    """The facts of an OpenAPI 3.0 or 3.1 document. ``unions`` names the schemas that list events (None: found by shape).
    Raises Unobservable when the document is no OpenAPI 3 document."""
    _check(document)
    with uncollected():
        return _observe(document, unions)


def _observe(document: dict[str, Any], unions: Sequence[str] | None) -> Observed:
    refs = Refs(document)
    normal = Normal(refs)
    try:
        listed = events(refs, normal, unions)
        shapes = Shapes(refs, normal, listed)
        Operations(refs, shapes).observe()
        for name, schema in components(document).items():
            refs.here = f"schema:{name}"
            shapes.component(name, schema)
        shapes.events(listed)
    except RecursionError as error:
        raise Unobservable("the OpenAPI document is nested too deep", "its schemas may be written inside each other") from error
    facts = {fact.address: fact for fact in aliases(shapes.facts)}
    facts.update((fact.address, fact) for fact in reversed(shapes.facts))  # what is said first stays
    gaps = [*refs.gaps, *_unread(document)]
    if not any(address.startswith("http:") for address in facts):
        gaps.append(Gap("http:**", "the document describes no operation", "check that it is the document of the API"))
    return Observed(tuple(facts.values()), tuple(gaps))


def _check(document: dict[str, Any]) -> None:
    version = document.get("openapi")
    if isinstance(version, str) and version.startswith("3."):
        if not isinstance(document.get("paths", {}), dict):
            raise Unobservable("the OpenAPI document's `paths` is no object")
        return
    if "swagger" in document:
        raise Unobservable("the document is Swagger 2.0", "convert it to OpenAPI 3 first")
    raise Unobservable("the document does not say `openapi: 3.x`", "give the OpenAPI document itself, such as the answer of /doc")


def _unread(document: dict[str, Any]) -> list[Gap]:
    return [Gap("http:**", "webhooks are not observed")] if document.get("webhooks") else []
