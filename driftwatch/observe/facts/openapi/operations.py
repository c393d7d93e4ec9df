"""Operations: what is asked (parameters, body) and what is answered (statuses, media types, headers), each a fact."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from driftwatch.observe.facts.openapi import segments
from driftwatch.observe.facts.openapi.normal import canonical
from driftwatch.observe.facts.openapi.refs import Raw, Refs
from driftwatch.observe.facts.openapi.shape import Shapes, Value

METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
_PLACES = ("query", "header", "path", "cookie")
_IGNORED_HEADERS = ("accept", "content-type", "authorization")  # the specification says a header parameter of these means nothing
_STYLES = {"query": "form", "cookie": "form", "path": "simple", "header": "simple"}


def operation_address(method: str, path: str) -> str:
    """``http:GET /session/{}``: a path parameter's name means nothing to who calls, so it is not in the address."""
    return f"http:{method.upper()} {re.sub(r'[{][^{}]*[}]', '{}', path)}"


class Operations:
    def __init__(self, refs: Refs, shapes: Shapes) -> None:
        self._refs = refs
        self._shapes = shapes
        self._global = refs.document.get("security")
        held = refs.document.get("components")
        schemes = held.get("securitySchemes") if isinstance(held, dict) else None
        self._schemes: Raw = schemes if isinstance(schemes, dict) else {}

    def observe(self) -> None:
        paths = self._refs.document.get("paths")
        for path, item in paths.items() if isinstance(paths, dict) else ():
            if path.startswith("x-"):
                continue
            self._refs.here = f"http:* {path}"
            held = self._refs.follow(item)
            for method in METHODS:
                if isinstance(held.get(method), dict):
                    self._operation(path, method, held[method], held.get("parameters"))

    def _operation(self, path: str, method: str, operation: Raw, shared: Any) -> None:
        address = operation_address(method, path)
        self._refs.here = address
        value: Value = {"path": path} if "{" in path else {}
        if isinstance(operation.get("operationId"), str):
            value["operationId"] = operation["operationId"]
        if operation.get("deprecated") is True:
            value["deprecated"] = True
        security = self._security(operation.get("security", self._global))
        if security:
            value["security"] = security
        self._shapes.add(address, value, f"#/paths/{path.replace('~', '~0').replace('/', '~1')}/{method}")
        for parameter, part in self._parameters(path, shared, operation.get("parameters")):
            self._parameter(address, parameter, part)
        if "requestBody" in operation:
            self._body(address, self._refs.follow(operation["requestBody"]))
        responses = operation.get("responses")
        for status, response in responses.items() if isinstance(responses, dict) else ():
            if not str(status).startswith("x-"):
                self._response(address, str(status), self._refs.follow(response))
        if operation.get("callbacks"):
            self._refs.miss("callbacks", "what the host calls back is not observed")

    def _parameters(self, path: str, *lists: Any) -> Iterator[tuple[Raw, str]]:
        """Parameters with their segment; an operation's own replace those of its path. Path parameters go by position."""
        positions = {name: index + 1 for index, name in enumerate(re.findall(r"[{]([^{}]*)[}]", path))}
        found: dict[str, Raw] = {}
        for listed in lists:
            for entry in listed if isinstance(listed, list) else ():
                parameter = self._refs.follow(entry)
                place, name = parameter.get("in"), parameter.get("name")
                if place not in _PLACES or not isinstance(name, str):
                    continue
                if place == "header" and name.lower() in _IGNORED_HEADERS:
                    continue
                written = str(positions.get(name, name)) if place == "path" else name.lower() if place == "header" else name
                found[f"{place}{segments.key(written)}"] = parameter
        for segment, parameter in found.items():
            yield parameter, segment

    def _parameter(self, address: str, parameter: Raw, segment: str) -> None:
        place = str(parameter["in"])
        extra: Value = {"required": True} if parameter.get("required") is True or place == "path" else {}
        if parameter.get("deprecated") is True:
            extra["deprecated"] = True
        style = parameter.get("style", _STYLES[place])
        explode = parameter.get("explode", style == "form")
        if (style, explode) != (_STYLES[place], _STYLES[place] == "form"):
            extra["style"] = f"{style}{' exploded' if explode else ''}"
        content = parameter.get("content")
        schema = parameter.get("schema", {})
        if isinstance(content, dict) and content:
            extra["media"], held = next(iter(content.items()))
            schema = held.get("schema", {}) if isinstance(held, dict) else {}
        self._shapes.place(f"{address}#{segment}", schema, extra)

    def _body(self, address: str, body: Raw) -> None:
        extra: Value = {"required": True} if body.get("required") is True else {}
        self._content(f"{address}#body", body.get("content"), extra)

    def _response(self, address: str, status: str, response: Raw) -> None:
        place = f"{address}#response.{status.upper() if status != 'default' else status}"
        self._content(place, response.get("content"), {})
        headers = response.get("headers")
        for name, header in sorted(headers.items()) if isinstance(headers, dict) else ():
            held = self._refs.follow(header)
            extra: Value = {"required": True} if held.get("required") is True else {}
            self._shapes.place(f"{place}(header {_word(str(name).lower())})", held.get("schema", {}), extra)

    def _content(self, place: str, content: Any, extra: Value) -> None:
        """The first media type is the place itself (JSON before others), further ones stand beside it."""
        media = {_media(name): held for name, held in content.items()} if isinstance(content, dict) else {}
        names = sorted(media, key=lambda name: (name != "application/json", not name.endswith("+json"), name))
        if not names:
            self._shapes.add(place, {**extra, "media": [], "type": "nothing"})
            return
        for index, name in enumerate(names):
            held = media[name]
            schema = held.get("schema", held.get("itemSchema", {})) if isinstance(held, dict) else {}
            if index == 0:
                self._shapes.place(place, schema, {**extra, "media": names})
            else:
                self._shapes.place(f"{place}(media {_word(name)})", schema)

    def _security(self, listed: Any) -> list[list[str]]:
        """Each alternative as a sorted list of what it takes; empty when nothing is asked, or nothing is one alternative."""
        alternatives = {
            tuple(sorted(self._scheme(str(name), scopes) for name, scopes in each.items()))
            for each in (listed if isinstance(listed, list) else ())
            if isinstance(each, dict)
        }
        return [] if () in alternatives else [list(each) for each in sorted(alternatives)]

    def _scheme(self, name: str, scopes: Any) -> str:
        held = self._refs.follow(self._schemes.get(name, {}))
        parts = [
            held.get(word) for word in ("type", "scheme", "in", "name", "openIdConnectUrl") if isinstance(held.get(word), str)
        ]
        what = " ".join(str(part) for part in parts) or name
        return f"{what} {canonical(sorted(map(str, scopes)))}" if isinstance(scopes, list) and scopes else what


def _media(name: Any) -> str:
    return str(name).split(";")[0].strip().lower()


def _word(text: str) -> str:
    return segments.variant(text)[1:-1]
