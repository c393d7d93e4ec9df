"""What a run of one probe left behind, as one document that expressions are asked of. Also: making it the same every time."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from driftwatch.observe.hosts.driver import LogLine
from driftwatch.observe.hosts.model import Request, text_of

MARKS = ".driftwatch/marks.jsonl"
MARKS_LIMIT = 16 * 1024 * 1024


@dataclass
class Evidence:
    """Collected while the steps run. ``document`` is what expressions see:

    - ``marks``: what the plugins marked, by name, each a list of payloads; ``order``: the names in order
    - ``answers``, ``status``, ``json``: of the saved answers the JSON, the HTTP status, and whether it was JSON at all (a web
      page is what a host gives for a route it does not have)
    - ``requests``: what the host asked the model: kind, model, system (texts), messages, tools, options, headers
    - ``turns``: those of kind turn alone (a host may ask for a title in between)
    - ``log``: the host's log lines that name this project: level, text, fields. Not more where the host was the probe's
      own: a second try must see what the first one saw
    - ``host_log``: all of them, also those of projects beside it: only for something nobody else says
    - ``exit``: how the host ended (how, code), null while it runs
    """

    project: Path
    answers: dict[str, Any] = field(default_factory=dict)
    status: dict[str, int] = field(default_factory=dict)
    json: dict[str, bool] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)
    host_log: list[dict[str, Any]] = field(default_factory=list)
    exit: dict[str, Any] | None = None

    def marks(self) -> list[dict[str, Any]]:
        return read_marks(self.project / MARKS)

    def document(self) -> dict[str, Any]:
        by_name: dict[str, list[dict[str, Any]]] = {}
        order = []
        for payload in self.marks():
            name = payload.pop("mark")
            order.append(name)
            by_name.setdefault(name, []).append(payload)
        return {
            "marks": by_name,
            "order": order,
            "answers": self.answers,
            "status": self.status,
            "json": self.json,
            "requests": self.requests,
            "turns": [request for request in self.requests if request["kind"] == "turn"],
            "log": self.log,
            "host_log": self.host_log,
            "exit": self.exit,
            "project": str(self.project),
        }


def read_marks(file: Path) -> list[dict[str, Any]]:
    """Whole lines only: a host that is killed may leave half of one."""
    try:
        with file.open("rb") as handle:
            lines = handle.read(MARKS_LIMIT).split(b"\n")
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            payload = json.loads(line)
        except ValueError:
            continue
        if isinstance(payload, dict) and isinstance(payload.get("mark"), str):
            found.append(payload)
    return found


def asked(request: Request) -> dict[str, Any]:
    """A model request in the words of the probes."""
    body = request.body if isinstance(request.body, dict) else {}
    messages = [message for message in body.get("messages") or [] if isinstance(message, dict)]
    return {
        "kind": request.kind,
        "model": body.get("model"),
        "system": [text_of(message) for message in messages if message.get("role") == "system"],
        "messages": [_message(message) for message in messages if message.get("role") != "system"],
        "tools": [tool.get("function") for tool in body.get("tools") or [] if isinstance(tool, dict)],
        "options": {key: value for key, value in body.items() if key not in {"model", "messages", "tools"}},
        "headers": dict(request.headers),
    }


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    calls = [call.get("function") for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    return {"role": message.get("role"), "text": text_of(message), "calls": calls}


def logged(lines: Iterable[LogLine], project: Path | None = None) -> list[dict[str, Any]]:
    """The log lines that name the project; all of them without one."""
    # A project's folder may begin like its neighbour's: what follows must not go on with the name.
    named = re.compile(rf"{re.escape(str(project))}(?![\w.-])") if project else re.compile("")
    return [
        {"level": line.level, "text": line.text, "fields": dict(line.fields)}
        for line in lines
        if named.search(line.text) or any(named.search(value) for value in line.fields.values())
    ]


# --- the same every time ----------------------------------------------------------------------------------------------

# An id has a digit somewhere; ``tool_definition`` is a name.
IDS = re.compile(r"\b(ses|msg|prt|per|tool|call|wrk|pty|evt|que|usr|run|err|job)_(?=[A-Za-z]*\d)[0-9A-Za-z]{8,}\b")
UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b")
PORT = re.compile(r"\b(127\.0\.0\.1|localhost):\d{2,5}\b")
TIME = re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?")
BUNDLE = re.compile(r"(/\$bunfs/root/)[\w./-]+")  # files inside a compiled host: named by the hash of a build
EPOCH = range(1_500_000_000_000, 4_000_000_000_000)  # milliseconds


class Normal:
    """Replaces what differs from run to run and from machine to machine by words: ids, times, ports, folders, versions."""

    def __init__(self, folders: Mapping[str, Path], version: str) -> None:
        spelled = ((spelling, name) for name, path in folders.items() for spelling in {str(path), quote(str(path))})
        self.texts = [(spelling, f"<{name}>") for spelling, name in spelled]  # quote: as in a URL
        self.texts.sort(key=lambda pair: -len(pair[0]))  # the project lies inside the scratch folder
        self.version = (
            re.compile(rf"(?<![\d.]){re.escape(version)}(?![\d.])") if re.search(r"\d", version) else None
        )  # "local" is a word like any other

    def of(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.of(item) for item in value]
        if isinstance(value, dict):
            return {self._text(str(key)): self.of(item) for key, item in value.items()}
        if isinstance(value, int) and not isinstance(value, bool) and value in EPOCH:
            return "<time>"
        return value

    def _text(self, text: str) -> str:
        for found, word in self.texts:
            text = text.replace(found, word)
        text = IDS.sub(r"<\1>", text)
        text = UUID.sub("<uuid>", text)
        text = BUNDLE.sub(r"\1<file>", text)
        text = PORT.sub(r"\1:<port>", text)
        text = TIME.sub("<time>", text)
        return self.version.sub("<version>", text) if self.version else text


def named(order: Sequence[str], most: int = 30) -> str:
    """Each name once, in the order they first came, with how often: a stream of events is one word and a number."""
    counts = Counter(order)  # keeps the order of first appearance
    told = [name if times == 1 else f"{name} ({times} times)" for name, times in counts.items()]
    more = len(told) - most
    return ", ".join([*told[:most], *([f"and {more} more"] if more > 0 else [])])
