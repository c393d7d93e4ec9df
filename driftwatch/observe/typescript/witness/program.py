"""Both versions side by side in one program, and what the native compiler says about it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftwatch.errors import Unobservable

if TYPE_CHECKING:
    from driftwatch.observe.process.child import Child

DEADLINE = 180.0  # seconds of the clock, on a machine that has other things to do
SECONDS = 20.0  # of processor time for all lines at once; then each part has a share of it
PARTS = 8  # a program that costs too much is tried in so many parts: few lines cost that much, and the others are proven
MEMORY = 900 * 1024 * 1024
LOOK = 0.25  # seconds between two looks at what it costs
_ERROR = re.compile(r"^w\.ts\((\d+),\d+\): error (TS\d+): (.*)$")
_SYNTAX = re.compile(r"TS1[01]\d\d")  # what the parser says
OPTIONS = {
    "target": "esnext",
    "module": "esnext",
    "moduleResolution": "bundler",
    "lib": ["esnext", "dom", "dom.iterable"],
    "types": [],
    "strict": True,
    "noEmit": True,
    "skipLibCheck": True,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the compiler refuses a line: its code and what it says, with the lines below it."""

    code: str
    text: str


class Costly(Unobservable):
    """The compiler took more processor time or memory than a proof is worth."""


def check(text: str, modules: Mapping[str, Path], ambient: Sequence[Path], compiler: Path, first: int = 1) -> dict[int, Refusal]:
    """Refusals by line (from 1) of a program over these modules. The lines of one pair, from the line ``first`` on, stand
    beneath each other. Lines that cost too much are refused on both sides, so that they prove nothing.

    Raises Unobservable when the compiler does not answer.
    """
    from driftwatch.observe.process import work_folder

    with work_folder() as home:
        _lay_out(home, text, modules, ambient)
        try:
            return _told(text, home, compiler, SECONDS)
        except Costly:
            found: dict[int, Refusal] = {}
            until = time.monotonic() + DEADLINE
            pairs = range(first, text.count("\n") + 1, 2)
            for part in range(PARTS):
                mine = {line for number, start in enumerate(pairs) if number % PARTS == part for line in (start, start + 1)}
                others = [line for start in pairs for line in (start, start + 1) if line not in mine]
                found |= _part(_without(text, others), mine, home, compiler, until)
            return found


def _part(text: str, lines: Iterable[int], home: Path, compiler: Path, until: float) -> dict[int, Refusal]:
    (home / "w.ts").write_text(text, "utf-8")
    try:
        if time.monotonic() > until:
            raise Costly("the lines before it took all the time there was")
        return _told(text, home, compiler, SECONDS / PARTS)
    except Costly as error:
        return dict.fromkeys(lines, Refusal("", error.message))


def _told(text: str, home: Path, compiler: Path, seconds: float) -> dict[int, Refusal]:
    found = _parse(_run(compiler, home, seconds))
    if unread := _unread(found):  # the compiler does not look at types before it can read every line
        (home / "w.ts").write_text(_without(text, unread), "utf-8")
        found = {**_parse(_run(compiler, home, seconds)), **unread}
    return found


def _unread(found: Mapping[int, Refusal]) -> dict[int, Refusal]:
    """The lines that are no TypeScript, when there are any: then nothing else is told."""
    unread = {line: one for line, one in found.items() if _SYNTAX.fullmatch(one.code)}
    return unread if len(unread) == len(found) else {}


def _without(text: str, lines: Iterable[int]) -> str:
    rows = text.split("\n")
    for line in lines:
        rows[line - 1] = ""
    return "\n".join(rows)


def _lay_out(home: Path, text: str, modules: Mapping[str, Path], ambient: Sequence[Path]) -> None:
    for name, target in modules.items():
        place = home / "node_modules" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target.resolve())
    (home / "w.ts").write_text(text, "utf-8")
    config = {"compilerOptions": OPTIONS, "files": ["w.ts", *(str(path.resolve()) for path in ambient)]}
    (home / "tsconfig.json").write_text(json.dumps(config), "utf-8")


def _run(compiler: Path, home: Path, seconds: float) -> str:
    from driftwatch.observe.process.child import start
    from driftwatch.observe.typescript.engine import environment

    # Its collector begins when half of the memory is in use: before that it would take a third of the processor time.
    env = {**environment(home), "GOGC": "off", "GOMEMLIMIT": str(MEMORY // 2)}
    output = home / "output.txt"
    argv = [str(compiler), "-p", str(home / "tsconfig.json"), "--pretty", "false"]
    with start(argv, cwd=home, env=env, output=output, deadline=DEADLINE) as child:
        _watch(child, seconds)
        said = output.read_text("utf-8", "replace") if output.exists() else ""
        if child.exit is None or child.exit.how != "exited" or child.exit.code not in (0, 1, 2):
            raise Unobservable(f"the native compiler {child.reason or 'did not end'}: {said[-300:]}")
    return said


def _watch(child: Child, seconds: float) -> None:
    """Waits for the end. Raises Costly."""
    from driftwatch.observe.process.cost import cost

    for _ in range(int((DEADLINE + 20) / LOOK)):
        if child.wait(LOOK) is not None:
            return
        used, memory = cost(child.pid)
        if used > seconds or memory > MEMORY:
            child.end()
            raise Costly(f"the compiler took more than {seconds:.0f} s of processor time, or {MEMORY // 1024**2} MB")


def _parse(said: str) -> dict[int, Refusal]:
    found: dict[int, Refusal] = {}
    current = 0
    for line in said.splitlines():
        if match := _ERROR.match(line):
            current = int(match[1])
            found.setdefault(current, Refusal(match[2], match[3]))
        elif line.startswith(" ") and current:
            found[current] = Refusal(found[current].code, f"{found[current].text}\n{line}")
        else:
            current = 0
    return found
