"""Operations: what is offered, how it is asked, what it answers. Their schemas go to the walk."""

from __future__ import annotations

import re
from typing import Any

from driftwatch.judge.compare.openapi.side import Side, beside, members
from driftwatch.judge.compare.openapi.variants import text
from driftwatch.judge.compare.openapi.walk import Walk

_PARAMETER = re.compile(r"\.(query|header|path|cookie)[.\[]")
_BODY = ".body"
_RESPONSE = ".response."


class Operations:
    def __init__(self, walk: Walk) -> None:
        self._walk = walk
        self._old = walk.old
        self._new = walk.new

    def compare(self, address: str) -> None:
        """One operation that is there on both sides."""
        one, other = self._old.value(address), self._new.value(address)
        if (one.get("deprecated") is True) != (other.get("deprecated") is True):
            self._say(address, "operation-deprecated" if other.get("deprecated") else "operation-undeprecated")
        if one.get("operationId") != other.get("operationId"):
            self._say(address, "operation-id-changed", one.get("operationId"), other.get("operationId"))
        self._security(address, one.get("security") or [], other.get("security") or [])
        left, right = _roots(self._old, address), _roots(self._new, address)
        for segment in dict.fromkeys([*left, *right]):
            if _PARAMETER.match(segment):
                self._parameter(address, segment, left.get(segment), right.get(segment))
            elif segment == _BODY:
                self._body(address, left.get(segment), right.get(segment))
            elif segment.startswith(_RESPONSE):
                self._response(address, segment.removeprefix(_RESPONSE), left.get(segment), right.get(segment))

    def _say(self, address: str, what: str, before: Any = None, after: Any = None, detail: str = "", **args: Any) -> None:
        where = self._new.where(address) or self._old.where(address)
        self._walk.record.add(address, what, None, before, after, where, detail, **args)

    def _security(self, address: str, before: list[Any], after: list[Any]) -> None:
        if before == after:
            return
        if not before:
            self._say(address, "security-added", before, after)
        elif not after:
            self._say(address, "security-removed", before, after)
        elif any(each not in after for each in before):
            self._say(address, "security-changed", before, after)
        else:
            self._say(address, "security-alternative-added", before, after)

    def _parameter(self, address: str, segment: str, left: str | None, right: str | None) -> None:
        place = segment[1:].partition(".")[0].partition("[")[0]
        name = segment[1 + len(place) :].strip('.["]')
        if left is None and right is not None:
            needed = self._new.value(right).get("required") is True
            what = "parameter-added-required" if needed else "parameter-added"
            self._say(right, what, None, text(self._new, right), name=name, place=place)
        elif right is None and left is not None:
            needed = self._old.value(left).get("required") is True
            self._say(left, "parameter-removed", text(self._old, left), None, name=name, place=place, required=needed)
        elif left is not None and right is not None:
            one, other = self._old.value(left), self._new.value(right)
            if (one.get("required") is True) != (other.get("required") is True):
                what = "parameter-became-required" if other.get("required") else "parameter-became-optional"
                self._say(left, what, *_words(one, other), name=name, place=place)
            if (one.get("style"), one.get("media")) != (other.get("style"), other.get("media")):
                before, after = (each.get("style") or each.get("media") or "the default" for each in (one, other))
                self._say(left, "parameter-style-changed", before, after, name=name, place=place)
            self._walk.run(left, right, "request")

    def _body(self, address: str, left: str | None, right: str | None) -> None:
        if left is None and right is not None:
            needed = self._new.value(right).get("required") is True
            self._say(right, "body-added-required" if needed else "body-added", None, text(self._new, right))
        elif right is None and left is not None:
            self._say(left, "body-removed", text(self._old, left), None)
        elif left is not None and right is not None:
            one, other = self._old.value(left), self._new.value(right)
            if (one.get("required") is True) != (other.get("required") is True):
                self._say(left, "body-became-required" if other.get("required") else "body-became-optional", *_words(one, other))
            self._media(left, right, "request")

    def _response(self, address: str, status: str, left: str | None, right: str | None) -> None:
        good = "success" if status[:1] in "23" else "error"
        if left is None and right is not None:
            self._say(right, f"{good}-status-added", None, text(self._new, right), status=status)
        elif right is None and left is not None:
            self._say(left, f"{good}-status-removed", text(self._old, left), None, status=status)
        elif left is not None and right is not None:
            self._headers(left, right)
            self._media(left, right, "response")

    def _headers(self, left: str, right: str) -> None:
        before, after = beside(self._old.children(left), "header"), beside(self._new.children(right), "header")
        for name in sorted({*before, *after}):
            if name not in after:
                self._say(before[name], "response-header-removed", text(self._old, before[name]), None, name=name)
            elif name not in before:
                self._say(after[name], "response-header-added", None, text(self._new, after[name]), name=name)
            else:
                self._walk.run(before[name], after[name], "response")

    def _media(self, left: str, right: str, side: Any) -> None:
        """Content by media type: a schema is compared with the schema of the same media type."""
        before, after = _content(self._old, left), _content(self._new, right)
        for name in dict.fromkeys([*before, *after]):
            if name not in after:
                self._say(left, f"{side}-media-type-removed", name, None, name, media=name)
            elif name not in before:
                self._say(left, f"{side}-media-type-added", None, name, name, media=name)
            else:
                self._walk.run(before[name], after[name], side)


def _roots(side: Side, address: str) -> dict[str, str]:
    return dict(members(side.children(address)))


def _content(side: Side, address: str) -> dict[str, str]:
    media = side.value(address).get("media")
    names = [str(name) for name in media] if isinstance(media, list) else []
    others = beside(side.children(address), "media")
    return {name: address if index == 0 else others.get(name, address) for index, name in enumerate(names)}


def _words(one: Any, other: Any) -> tuple[str, str]:
    return ("required" if one.get("required") else "optional"), ("required" if other.get("required") else "optional")
