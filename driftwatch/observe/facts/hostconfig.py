"""The config observer: the keys a host's configuration may have, from the schema the host describes it with. Pure.

Facts live at ``config:KEY.PATH``: ``config:plugin``, ``config:provider.*.options.chunkTimeout`` (``*`` is any name of the
user's), ``config:permission.(object).bash`` (a variant of a union), ``config:plugin.[]`` (an item of a list). A key that is
described by a shared schema says in ``at`` where it is written and where its type is. Values are the shapes of
``openapi/shape.py``.
"""

from __future__ import annotations

from typing import Any

from driftwatch.errors import Unobservable
from driftwatch.model import Address, Fact, Gap, Observed
from driftwatch.observe.facts.openapi.normal import Normal
from driftwatch.observe.facts.openapi.refs import Refs
from driftwatch.observe.facts.openapi.segments import split
from driftwatch.observe.facts.openapi.shape import Shapes, Value
from driftwatch.observe.facts.openapi.unions import components

MAX_FACTS = 20_000
MAX_DEPTH = 12
ROOT = "Config"


def observe(document: dict[str, Any], component: str = ROOT) -> Observed:
    """The keys described by the shared schema ``component`` of an OpenAPI document, or by a JSON schema as a whole.

    A schema that holds itself is followed once. Raises Unobservable when there is no such schema.
    """
    schemas = dict(components(document))
    if "openapi" in document and component not in schemas:
        raise Unobservable(
            f"the document has no schema {component!r}",
            "name the schema that describes the configuration, or give its JSON schema",
        )
    whole = component not in schemas
    refs = Refs(document)
    shapes = Shapes(refs, Normal(refs), ())
    try:
        for name, schema in schemas.items():
            shapes.component(name, schema)
        if whole:
            shapes.component("", {word: value for word, value in document.items() if word not in ("$defs", "definitions")})
    except RecursionError as error:
        raise Unobservable("the configuration's schema is nested too deep") from error
    keys = _Keys({fact.address: fact for fact in shapes.facts})
    keys.walk("config:", "schema:" if whole else f"schema:{component}", frozenset(), 0)
    gaps = tuple(Gap("config:**", gap.reason, gap.remedy) for gap in refs.gaps)
    return Observed(tuple(keys.facts), gaps + tuple(keys.gaps))


class _Keys:
    """Lays the tree of keys out, through every reference."""

    def __init__(self, shared: dict[Address, Fact]) -> None:
        self._values: dict[str, Value] = {str(address): fact.value for address, fact in shared.items()}  # type: ignore[misc]
        self._children: dict[str, list[tuple[str, str]]] = {}
        self.facts: list[Fact] = []
        self.gaps: list[Gap] = []
        for address in self._values:
            self._child(address)

    def _child(self, address: str) -> None:
        subject, sharp, member = address.partition("#")
        if sharp:
            segments = split(member)
            inner = "".join(segments[:-1]).removeprefix(".")
            parent = f"{subject}#{inner}" if inner else subject
            self._children.setdefault(parent, []).append((segments[-1], address))

    def _written(self, address: str) -> str:
        """Where a property taken over from a shared schema is really written."""
        for _ in range(50):
            ref = self._values.get(address, {}).get("ref")
            if not isinstance(ref, str) or "#" not in ref:
                break
            address = ref
        return address

    def walk(self, key: str, at: str, seen: frozenset[str], depth: int) -> None:
        """The facts at and below one key. ``at`` is where it is described."""
        chain = [at]
        while isinstance(ref := self._values.get(chain[-1], {}).get("ref"), str) and len(chain) < 50:
            chain.append(ref)
        last = chain[-1]
        if len(self.facts) >= MAX_FACTS:
            self.gaps[:] = [Gap("config:**", f"only the first {MAX_FACTS} keys of the configuration are observed")]
            return
        value: Value = {}
        for step in reversed(chain):
            value.update({word: each for word, each in self._values.get(step, {}).items() if word not in ("ref", "event")})
        value["at"] = [*dict.fromkeys((self._written(at), last))]
        self.facts.append(Fact(Address(key), value))
        if last in seen or depth >= MAX_DEPTH:
            return
        for segment, child in self._children.get(last, ()):
            self.walk(_below(key, segment), child, seen | {last}, depth + 1)


def _below(key: str, segment: str) -> str:
    inner = ".*" if segment == "[string]" else f".{segment}" if segment[0] in "[(" else segment
    return f"config:{inner[1:]}" if key == "config:" else key + inner
