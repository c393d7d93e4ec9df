"""What a probe is: a folder with ``probe.yaml`` (what to do, see and expect) and the plugin files it loads.

Adding a probe is adding a folder; a user's own folder works the same. This module reads and checks; it runs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from driftwatch import addresses
from driftwatch.errors import ConfigError, Problem
from driftwatch.model import Expectation
from driftwatch.observe.probes import check
from driftwatch.observe.probes.text import load

FILE = "probe.yaml"
FILE_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do. ``verb`` says what, ``target`` at what (a path, a mark's name, a signal, seconds, what is looked for)."""

    verb: str
    target: str
    number: int
    body: Any = None
    query: Mapping[str, str] = field(default_factory=dict)
    save: str = ""
    until: str = ""
    count: int = 1
    seconds: float = 10.0
    background: str = ""
    scope: Literal["project", "host"] = "project"
    must: bool = False  # of a ``wait``: without the mark nothing can be told

    def __str__(self) -> str:
        word = self.verb.upper() if self.target.startswith("/") else self.verb
        return f"step {self.number} ({word} {self.target})"


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe as read. ``digest`` changes with anything in its folder. ``files`` are laid out in the project, by their path
    there; a plugin's path starts with ``PLUGINS/`` for wherever the host keeps plugins."""

    id: str
    title: str
    about: str
    host: str
    digest: str
    files: Mapping[str, str]
    steps: tuple[Step, ...]
    observe: Mapping[str, str]
    expect: Mapping[str, Any]
    present: Mapping[str, str]
    config: Mapping[str, Any] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    home: Mapping[str, str] = field(default_factory=dict)
    documentation: str = ""
    expected: tuple[Expectation, ...] = ()  # known failures, by range of host versions
    declares: Mapping[str, str] = field(default_factory=dict)  # observation -> the address that declares the same thing
    control: bool = False
    process: str = "shared"  # "last": ends its host, so it comes last there; "own": needs one to itself
    lines: tuple[str, ...] = ()  # the host's lines it is for; () for the driver's usual one
    by_line: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # line -> files in place of ``files``
    loads: str = "init"  # the mark that says its plugin was loaded; "" when loading is what it probes
    seconds: float = 60.0


def load_library(extra: Iterable[Path] = (), host: str = "") -> Mapping[str, Probe]:
    """Every built-in probe (of one host when named) and those of the user's folders, by id, sorted.

    A folder of the user's is one probe, or holds several. Raises ConfigError with every problem and its line.
    """
    probes = {probe.id: probe for probe in _built_in() if not host or probe.host == host}
    problems: list[Problem] = []
    for folder in extra:
        for one in _folders(folder, problems):
            try:
                probe = read(one)
            except ConfigError as error:
                problems.extend(error.problems)
                continue
            if probe.id in probes:
                problems.append(
                    Problem(str(one / FILE), 0, 0, f"there is already a probe {probe.id!r}", "give it an id of its own")
                )
            probes[probe.id] = probe
    if problems:
        raise ConfigError(problems)
    return dict(sorted(probes.items()))


def library_ids() -> tuple[str, ...]:
    """The ids of all built-in probes, without reading them."""
    return tuple(f"{file.parent.parent.name}/{file.parent.name}" for file in _places())


def control(library: Mapping[str, Probe], host: str) -> Probe:
    """The probe that must hold before another one's answer counts."""
    return next(probe for probe in library.values() if probe.host == host and probe.control)


def _places() -> list[Path]:
    return sorted(Path(str(files(__package__).joinpath("library"))).glob(f"*/*/{FILE}"))


@cache
def _built_in() -> tuple[Probe, ...]:
    return tuple(read(file.parent) for file in _places())


def _folders(folder: Path, problems: list[Problem]) -> Iterator[Path]:
    if (folder / FILE).is_file():
        yield folder
        return
    found = sorted(file.parent for file in folder.glob(f"*/{FILE}"))
    if not found:
        problems.append(Problem(str(folder), 0, 0, f"no {FILE} here or one folder below", f"a probe is a folder with a {FILE}"))
    yield from found


def read(folder: Path) -> Probe:
    """One probe from its folder. Raises ConfigError."""
    place = folder / FILE
    contents = _contents(folder)
    if FILE not in contents:
        what = f"no {FILE} here" if folder.is_dir() else "there is no such folder"
        raise ConfigError([Problem(str(folder), 0, 0, what, f"a probe is a folder with a {FILE}")])
    data, lines = load(contents.pop(FILE), str(place))
    reading = check.Reading(data, lines)
    probe = _build(reading, folder, contents)
    reading.unknown()
    if reading.problems:
        raise ConfigError(reading.problems)
    assert probe is not None
    return probe


def _contents(folder: Path) -> dict[str, str]:
    """Every file of the folder by relative path. Hostile or huge folders are the user's own: a plain cap is enough."""
    contents: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith((".", "__")) for part in path.relative_to(folder).parts):
            name = path.relative_to(folder).as_posix()
            if path.stat().st_size > FILE_LIMIT:
                raise ConfigError([Problem(str(path), 0, 0, f"bigger than {FILE_LIMIT} bytes", "a probe is a few small files")])
            try:
                contents[name] = path.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError([Problem(str(path), 0, 0, f"cannot be read as text: {error}")]) from error
    return contents


def digest_of(contents: Mapping[str, str]) -> str:
    whole = sha256()
    for name, text in sorted(contents.items()):
        for part in (name, text):
            raw = part.encode()
            whole.update(len(raw).to_bytes(8, "big") + raw)
    return whole.hexdigest()


def _build(reading: check.Reading, folder: Path, contents: Mapping[str, str]) -> Probe | None:
    host = reading.text("host", folder.parent.name if (folder.parent.parent.name == "library") else "opencode")
    own = folder.resolve().name
    probe = Probe(
        id=reading.text("id", f"{host}/{own}"),
        title=reading.text("title"),
        about=reading.text("about"),
        host=host,
        digest=digest_of({**contents, FILE: reading.lines.source}),
        files=_files(reading, contents),
        steps=tuple(_steps(reading)),
        observe=reading.expressions("observe"),
        expect=reading.mapping("expect"),
        present=reading.expressions("present"),
        config=reading.mapping("config"),
        env=reading.texts("env"),
        home=_placed(reading, "home", contents),
        documentation=reading.text("documentation", ""),
        expected=tuple(_expected(reading, reading.text("id", f"{host}/{own}"))),
        declares=reading.texts("declares"),
        control=reading.flag("control"),
        process=reading.choice("process", ("shared", "last", "own")),
        lines=tuple(str(each) for each in reading.list_of_texts("lines")),
        by_line=_by_line(reading, contents),
        loads=reading.text("loads", "init"),
        seconds=reading.number("seconds", 60.0),
    )
    _named(reading, probe)
    return None if reading.problems else probe


def _named(reading: check.Reading, probe: Probe) -> None:
    """What is expected of, or declared for, an observation: there must be one of that name."""
    observed = f"observed: {', '.join(sorted(probe.observe))}"
    for name in probe.expect:
        if name not in probe.observe:
            reading.wrong(("expect", name), f"{name!r} is expected but not observed", observed)
    for name, address in probe.declares.items():
        if name not in probe.observe:
            reading.wrong(("declares", name), f"{name!r} is declared but not observed", observed)
        if problem := addresses.problem(address):
            reading.wrong(("declares", name), problem)
    for step in probe.steps:
        if step.verb == "present" and step.target not in probe.present:
            there = f"below `present:`: {', '.join(sorted(probe.present)) or 'nothing'}"
            reading.wrong(("steps", step.number - 1, "present"), f"nothing is called {step.target!r}", there)


def _expected(reading: check.Reading, probe: str) -> Iterator[Expectation]:
    for item in reading.items("expected"):
        yield Expectation(probe, item.versions("versions"), item.text("reason"), item.day("expires"), "probe")
        item.unknown()


def _files(reading: check.Reading, contents: Mapping[str, str]) -> dict[str, str]:
    """Where ``files`` is missing, every script of the folder is a plugin."""
    if not reading.has("files"):
        return {f"PLUGINS/{name}": text for name, text in contents.items() if name.endswith((".js", ".ts", ".mjs"))}
    return _placed(reading, "files", contents)


def _by_line(reading: check.Reading, contents: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """``files_by_line``: for each line of the host that needs others, the files as in ``files``."""
    found: dict[str, dict[str, str]] = {}
    key = "files_by_line"
    for line in reading.mapping(key):
        below = check.Reading({line: reading.data[key][line]}, reading.lines, (*reading.path, key), reading.problems)
        found[line] = _placed(below, line, contents)
    return found


def _placed(reading: check.Reading, key: str, contents: Mapping[str, str]) -> dict[str, str]:
    """``target: file-of-the-folder``, or ``target: {text: ...}``."""
    placed: dict[str, str] = {}
    for target, source in reading.mapping(key).items():
        if isinstance(source, str) and source in contents:
            placed[target] = contents[source]
        elif isinstance(source, dict) and list(source) == ["text"] and isinstance(source["text"], str):
            placed[target] = source["text"]
        else:
            have = ", ".join(sorted(contents)) or "none"
            reading.wrong((key, target), f"{source!r} is no file of this folder", f"files: {have}; or give {{text: ...}}")
    return placed


VERBS = ("get", "post", "put", "patch", "delete", "poll", "wait", "model", "signal", "exit", "join", "present")


def _steps(reading: check.Reading) -> Iterator[Step]:
    for number, item in enumerate(reading.items("steps"), 1):
        verb = item.only_one(VERBS)
        if verb is None:
            continue
        yield Step(
            verb=verb,
            target=item.text(verb),
            number=number,
            body=item.anything("body"),
            query=item.texts("query"),
            save=item.name("save"),
            until=item.expression("until"),
            count=int(item.number("count", 1)),
            seconds=item.number("seconds", 10.0),
            background=item.name("background"),
            must=item.flag("must"),
            scope="host" if item.choice("scope", ("project", "host")) == "host" else "project",
        )
        item.unknown()
