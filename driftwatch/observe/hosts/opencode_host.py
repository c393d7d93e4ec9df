"""A running OpenCode: its projects, its routes, its log."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from driftwatch.model import Json
from driftwatch.observe.hosts import http
from driftwatch.observe.hosts.driver import Answer, Binary, HostError, LogLine
from driftwatch.observe.hosts.isolation import place
from driftwatch.observe.process import Child, Exit

PLUGIN_PACKAGE = "@opencode-ai/plugin"
LOG_LIMIT = 4 * 1024 * 1024
HEAD = 256 * 1024
ONE, TWO = "1", "2"
OLD_LINE = re.compile(r"^(DEBUG|INFO|WARN|ERROR)\s+\S+\s+\+\d+ms\s+(.*)$")
PAIR = re.compile(r'(?<![\w.-])(\w[\w.-]*)=("(?:[^"\\]|\\.)*"|\S*)')  # tried once a word: a log may be one endless word
LINE_LIMIT = 16 * 1024
SAID_VERSION = re.compile(r"\bversion=(\d[\w.+-]*)")
SAID_PASSWORD = re.compile(r"server password (\S+)")
USER = "opencode"
UNREACHABLE = "Unable to connect. Is the computer able to access the url?"
PASSWORDS = ("OPENCODE_PASSWORD", "OPENCODE_SERVER_PASSWORD")


class Silent(HostError):
    """It was waited for in vain."""


class OpenCodeHost:
    child: Child

    def __init__(self, binary: Binary, scratch: Path) -> None:
        self.binary = binary
        self.log = scratch / "host.log"
        self._scratch = scratch
        self._address = ("127.0.0.1", 0)
        self._version = ""
        self._line = ONE
        self._headers: dict[str, str] = {}
        self.shares = True

    @property
    def scratch(self) -> Path:
        return self._scratch

    @property
    def line(self) -> str:
        return self._line

    def version(self) -> str:
        return self._version

    # --- starting ---

    def listens_at(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "127.0.0.1", parts.port or 80)

    def knows_password(self, env: Mapping[str, str]) -> None:
        """A password in the host's environment is the one it will want."""
        for name in PASSWORDS:
            if env.get(name):
                self._use_password(env[name])
                return

    def _use_password(self, password: str) -> None:
        self._headers = {"Authorization": "Basic " + base64.b64encode(f"{USER}:{password}".encode()).decode()}

    def greet(self, timeout: float) -> None:
        """The first questions, which tell the lines apart. 1.x answers /global/health (1.0.x has no such route but answers
        /config), 2.x wants the password it printed and answers /api/health. Raises HostError, TimeoutError."""
        until = time.monotonic() + timeout
        if (said := SAID_PASSWORD.search(first_words(self.log))) is not None:
            self._use_password(said.group(1))
        health = self._first_answer("/global/health", until)
        if _healthy(health):
            self._version = str(health.json.get("version", ""))
        elif _healthy(health := self._first_answer("/api/health", until)):
            self._version = str(health.json.get("version", ""))
            self._line = TWO
        elif not self._first_answer("/config", until).is_json:
            raise HostError("the host answers with web pages where its API should be" + last_words(self.log))
        else:
            self.shares = False  # hosts of that line load the plugins of every project seen so far in the next one, too
            found = SAID_VERSION.search(first_words(self.log))
            self._version = found.group(1) if found else ""
        if self.binary.version and self._version and self._version != self.binary.version:
            raise HostError(f"the host says it is version {self._version}, its package is {self.binary.version}")

    def _first_answer(self, path: str, until: float) -> Answer:
        """An answer that is not about a password: where one is wanted, it is waited for until the host printed it."""
        while True:
            answer = self.request("GET", path, timeout=max(0.5, until - time.monotonic()))
            if answer.status not in {401, 403}:
                return answer
            if self._headers:
                raise HostError("the host refuses the password it printed or was given" + last_words(self.log))
            while not self._headers:
                if (said := SAID_PASSWORD.search(first_words(self.log))) is not None:
                    self._use_password(said.group(1))
                elif not self.alive():
                    raise HostError(f"the host {self.child.reason} before it printed its password{last_words(self.log)}")
                elif time.monotonic() > until:
                    raise Silent("the host wants a password and printed none" + last_words(self.log))
                else:
                    time.sleep(0.02)

    # --- projects ---

    def stub(self, folder: Path) -> None:
        """Pretend that the plugin package is installed in a configuration folder, which the host would do at length on its
        first look at it. A plugin that imports the package needs the real one there."""
        wanted = {"dependencies": {PLUGIN_PACKAGE: self.binary.version or "*"}}
        lock = {"name": "driftwatch", "lockfileVersion": 3, "packages": {"": wanted}}
        (folder / "node_modules").mkdir(parents=True, exist_ok=True)
        (folder / "package.json").write_text(json.dumps(wanted), "utf-8")
        (folder / "package-lock.json").write_text(json.dumps(lock), "utf-8")

    def project(self, name: str, files: Mapping[str, str], config: Mapping[str, Json], model: str) -> Path:
        directory = self._scratch / "projects" / name
        directory.mkdir(parents=True)
        self.stub(directory / ".opencode")
        place(directory, files)
        (directory / "opencode.json").write_text(json.dumps({**base_config(model), **config}, indent=1), "utf-8")
        return directory

    def open(self, directory: Path, timeout: float) -> Answer:
        path = "/api/location" if self._line == TWO else "/config"
        return self.request("GET", path, directory=directory, timeout=timeout)

    # --- talking ---

    def request(
        self,
        method: str,
        path: str,
        body: Json = None,
        *,
        directory: Path | None = None,
        query: Mapping[str, str] | None = None,
        timeout: float = 10.0,
    ) -> Answer:
        place = "location[directory]" if path.startswith("/api/") else "directory"
        asked = {**({place: str(directory)} if directory else {}), **(query or {})}
        target = f"{path}{'&' if '?' in path else '?'}{urlencode(asked)}" if asked else path
        try:
            answer = http.request(self._address, method, target, body, headers=self._headers, timeout=timeout)
            return answer if self.shares else handed_on(answer)
        except HostError as error:
            if (ended := self.child.wait(0.5)) is not None:
                raise HostError(f"the host {ended} at {method} {path}{last_words(self.log)}") from None
            raise error from None

    def signal(self, number: int) -> None:
        self.child.signal(number)

    def wait(self, seconds: float) -> Exit | None:
        return self.child.wait(seconds)

    def alive(self) -> bool:
        return self.child.alive()

    def end(self) -> None:
        self.child.end()

    def log_lines(self) -> Sequence[LogLine]:
        try:
            with self.log.open("rb") as file:
                text = file.read(LOG_LIMIT).decode("utf-8", "replace")
        except OSError:
            return ()
        return tuple(parse(line[:LINE_LIMIT]) for line in text.splitlines() if line.strip())


def handed_on(answer: Answer) -> Answer:
    """Hosts of 1.0.x hand a route they do not have on to the host of their web page. From here nobody reaches it, which they
    tell as an error in JSON: it stands for the page."""
    if answer.status == 500 and answer.is_json and UNREACHABLE in answer.text:
        return replace(answer, content_type="text/html", is_json=False, json=None)
    return answer


def _healthy(answer: Answer) -> bool:
    return answer.is_json and isinstance(answer.json, dict) and bool(answer.json.get("healthy"))


def parse(line: str) -> LogLine:
    """Both spellings: ``level=INFO message="..." k=v`` and the older ``INFO 2026-... +2ms k=v the message``."""
    fields = {key: _plain(value) for key, value in PAIR.findall(line)}
    if (old := OLD_LINE.match(line)) is not None:
        return LogLine(old.group(1).lower(), PAIR.sub("", old.group(2)).strip(), fields)
    if "level" in fields:
        return LogLine(fields["level"].lower(), fields.get("message", ""), fields)
    return LogLine("", line, fields)


def _plain(value: str) -> str:
    if value.startswith('"'):
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    return value


def first_words(log: Path) -> str:
    """What a host says while it starts: a bounded head of its log, "" while there is none."""
    try:
        with log.open("rb") as file:
            return file.read(HEAD).decode("utf-8", "replace")
    except OSError:
        return ""


def last_words(log: Path, lines: int = 4) -> str:
    """The last lines of a log as a tail for a message, "" when there are none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 8192))
            text = file.read(8192).decode("utf-8", "replace")
    except OSError:
        return ""
    text = SAID_PASSWORD.sub("server password <password>", text)
    said = [line.strip()[:300] for line in text.splitlines() if line.strip()][-lines:]
    return ": " + " | ".join(said) if said else " (it said nothing)"


def base_config(model: str) -> dict[str, Any]:
    """A configuration that talks to the mock model and to nobody else."""
    entry = {"tool_call": True, "temperature": True, "limit": {"context": 100000, "output": 4096}}
    return {
        "model": "mock/m1",
        "small_model": "mock/m1",
        "share": "disabled",
        "autoupdate": False,
        "provider": {
            "mock": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": model, "apiKey": "x"},
                "models": {name: {"name": name, **entry} for name in ("m1", "m2")},
            }
        },
    }
