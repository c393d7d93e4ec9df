"""Both versions side by side in one program, and what the native compiler says about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from driftwatch.errors import Unobservable

DEADLINE = 180.0
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


def check(text: str, modules: Mapping[str, Path], ambient: Sequence[Path], compiler: Path) -> dict[int, Refusal]:
    """Refusals by line (from 1) of a program over these modules. Raises Unobservable when the compiler does not answer."""
    from driftwatch.observe.process import work_folder

    with work_folder() as home:
        _lay_out(home, text, modules, ambient)
        found = _parse(_run(compiler, home))
        if unread := _unread(found):  # the compiler does not look at types before it can read every line
            (home / "w.ts").write_text(_without(text, unread), "utf-8")
            found = {**_parse(_run(compiler, home)), **unread}
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


def _run(compiler: Path, home: Path) -> str:
    from driftwatch.observe.process.child import start
    from driftwatch.observe.typescript.engine import environment

    output = home / "output.txt"
    argv = [str(compiler), "-p", str(home / "tsconfig.json"), "--pretty", "false"]
    with start(argv, cwd=home, env=environment(home), output=output, deadline=DEADLINE) as child:
        child.wait(DEADLINE + 20)
        said = output.read_text("utf-8", "replace") if output.exists() else ""
        if child.exit is None or child.exit.how != "exited" or child.exit.code not in (0, 1, 2):
            raise Unobservable(f"the native compiler {child.reason or 'did not end'}: {said[-300:]}")
    return said


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
