"""Waivers: a waived finding stays visible with its reason; an expired or unused waiver is itself a finding."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from driftwatch.addresses import matches
from driftwatch.judge.terms import Waiver
from driftwatch.model import Address, Change, Waived


class Waivers:
    """Answers which waiver covers a finding, and remembers which were of use."""

    def __init__(self, waivers: Sequence[Waiver], today: date) -> None:
        self._today = today
        self._valid = [waiver for waiver in waivers if waiver.expires >= today]
        self._expired = [waiver for waiver in waivers if waiver.expires < today]
        self._used: set[int] = set()

    def cover(self, rule: str, addresses: Sequence[str], upstream: str) -> Waived | None:
        """The first valid waiver of this upstream (or of all) that names ``rule`` and covers one of ``addresses``, else None."""
        for index, waiver in enumerate(self._valid):
            if (
                waiver.rule == rule
                and waiver.upstream in (None, upstream)
                and any(matches(waiver.address, address) for address in addresses)
            ):
                self._used.add(index)
                return Waived(waiver.reason, waiver.expires.isoformat())
        return None

    def changes(self) -> list[Change]:
        """What there is to say about the waivers themselves, once every finding has been asked for."""
        unused = [waiver for index, waiver in enumerate(self._valid) if index not in self._used]
        return [_change("waiver-expired", waiver) for waiver in self._expired] + [
            _change("waiver-unused", waiver) for waiver in unused
        ]


def _change(kind: str, waiver: Waiver) -> Change:
    args = {"rule": waiver.rule, "waived": waiver.address, "expires": waiver.expires.isoformat()}
    return Change(Address.of("watchlist", "waivers", f"{waiver.rule} {waiver.address}"), kind, args={**args})
