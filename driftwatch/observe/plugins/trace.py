"""What the tracer saw, in few words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from driftwatch.model import Json

Mark = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trace:
    """The marks of one traced run, in order."""

    marks: Sequence[Mark]

    def named(self, name: str) -> list[Mark]:
        return [mark for mark in self.marks if mark["mark"] == name]

    def first(self, name: str) -> Mark | None:
        return next(iter(self.named(name)), None)

    @property
    def started(self) -> bool:
        return self.first("started") is not None

    def facts(self) -> dict[str, Json]:
        """How it registers and what it calls. Counts of calls are left out: they follow the host's events."""
        ends = [place for place, mark in enumerate(self.marks) if mark["mark"] == "disposed"]
        alive = Trace(self.marks[: ends[0]] if ends else self.marks)
        registered = sorted({hook for mark in self.named("started") for hook in mark["hooks"]})
        called = sorted({mark["hook"] for mark in self.named("call")})
        facts: dict[str, Json] = {
            "plugin#exports": list((self.first("imported") or {}).get("exports", ())),
            "plugin#loaded": len(alive.named("importing")),
            "plugin#started": len(alive.named("starting")),
            AGAIN: len(self.named("importing")) - len(alive.named("importing")),
            "plugin#hooks": list(registered),
            "plugin#hooks never called": [hook for hook in registered if hook not in called and hook not in QUIET],
            "plugin#tools": sorted({tool for mark in self.named("started") for tool in mark["tools"]}),
            "plugin#client calls": sorted({mark["call"] for mark in self.named("client")}),
            "left#timers": max((list(mark["left"]) for mark in self.named("timers")), key=len, default=[]),
            "plugin#shell commands": sorted({mark["command"] for mark in self.named("shell")}),
        }
        return {key: value for key, value in facts.items() if value not in ([], 0)}


AGAIN = "plugin#loaded again after the end"  # by a call of its own that was still under way: a matter of the moment
QUIET = frozenset({"tool", "auth", "provider", "dispose"})  # no function the tracer could count, or counted by itself
