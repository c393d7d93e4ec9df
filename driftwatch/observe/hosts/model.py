"""A model that never thinks: a loopback server in OpenAI's chat completions dialect, steered by the message it gets.

Directives stand on lines of their own in the newest user message; each answers one model call of that turn, in order:

- ``mock:say TEXT``: answer with a text
- ``mock:tool NAME {JSON}``: call a tool with these arguments
- ``mock:tokens N``: claim that the prompt had N tokens (with the next answer; large numbers force a compaction)
- ``mock:pause SECONDS``: begin the next answer, then wait in the middle of it (for an abort)
- ``mock:fail STATUS``: answer with an HTTP error

Without a directive left it says ``done``. It keeps no state between calls: which directive is due follows from how many
assistant messages stand after the newest user message. Calls for a title, and calls without tools (a compaction quotes the
transcript, directives and all), ignore directives. Every request is recorded under the first part of its path, so that many
projects may share one server: ``/NAME/v1/chat/completions``.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

DIRECTIVE = re.compile(r"^\s*mock:(say|tool|tokens|pause|fail)[ \t]+(.+?)\s*$", re.MULTILINE)
BODY_LIMIT = 64 * 1024 * 1024
TITLE = "title generator"
ATTACHED = re.compile(r"Attached \S+ from tool result")
DEFAULT_TOKENS = 100
LONGEST_PAUSE = 60.0
KEPT = 256 * 1024 * 1024  # bytes of bodies; what comes beyond is counted without its body
MOST = 50_000  # requests that are counted


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came. ``kind``: turn, title, compaction (a call without tools), other (not a completion). ``body`` is
    None where there was none, or where a plugin asked so much that no more is kept."""

    kind: str
    path: str
    headers: Mapping[str, str]
    body: Any


@dataclass(slots=True)
class Plan:
    """What to answer."""

    text: str = "done"
    tool: str = ""
    arguments: str = ""
    tokens: int = DEFAULT_TOKENS
    pause: float = 0.0
    fail: int = 0


@dataclass
class _Log:
    requests: dict[str, list[Request]] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)
    size: int = 0
    count: int = 0

    def add(self, name: str, request: Request, size: int = 0) -> None:
        with self.changed:
            self.size += size
            self.count += 1
            if self.count <= MOST:
                kept = request if self.size <= KEPT else Request(request.kind, request.path, {}, None)
                self.requests.setdefault(name, []).append(kept)
            self.changed.notify_all()


class MockModel:
    """``with MockModel() as model``: serves on a free loopback port until the ``with`` ends."""

    def __enter__(self) -> MockModel:
        self._log = _Log()
        self._over = threading.Event()
        handler = type("Handler", (_Handler,), {"log": self._log, "over": self._over})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="mock-model").start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, name: str) -> str:
        """The base URL to configure for one project."""
        return f"http://127.0.0.1:{self.port}/{name}/v1"

    def requests(self, name: str) -> tuple[Request, ...]:
        """What was asked under that name so far, in order of arrival."""
        with self._log.changed:
            return tuple(self._log.requests.get(name, ()))

    def wait(self, name: str, count: int, seconds: float, kind: str = "") -> bool:
        """Until ``count`` requests (of that kind) are there, at most so long."""

        def there() -> bool:
            return sum(not kind or request.kind == kind for request in self._log.requests.get(name, ())) >= count

        with self._log.changed:
            return self._log.changed.wait_for(there, seconds)


# --- what to answer: pure --------------------------------------------------------------------------------------------


def kind_of(body: Any) -> str:
    """Which sort of call a completion's body is."""
    if not isinstance(body, dict):
        return "other"
    system = "\n".join(text_of(message) for message in _messages(body) if message.get("role") == "system")
    if TITLE in system.lower():
        return "title"
    return "turn" if body.get("tools") else "compaction"


def plan(body: Any) -> Plan:
    """What the newest user message asks for."""
    kind = kind_of(body)
    if kind != "turn":
        return Plan(text="A title" if kind == "title" else "A summary")
    messages = _messages(body)
    newest = max((index for index in range(len(messages)) if _asks(messages, index)), default=-1)
    if newest < 0:
        return Plan()
    done = sum(message.get("role") == "assistant" for message in messages[newest + 1 :])
    return _nth(DIRECTIVE.findall(text_of(messages[newest])), done)


def _asks(messages: list[Mapping[str, Any]], index: int) -> bool:
    """Whether somebody says something here. What follows a tool's result as ATTACHED, or without a word, is none of the
    user's: hosts send what a tool gave that way to models that take no pictures in results."""
    follows = index > 0 and messages[index - 1].get("role") == "tool"
    said = text_of(messages[index])
    return messages[index].get("role") == "user" and not (follows and (ATTACHED.match(said) or not said.strip()))


def _nth(directives: list[tuple[str, str]], number: int) -> Plan:
    """``tokens`` and ``pause`` belong to the answer that follows them."""
    answer = Plan()
    for word, rest in directives:
        if word == "tokens":
            answer.tokens = _number(rest, DEFAULT_TOKENS)
            continue
        if word == "pause":
            answer.pause = min(float(_number(rest, 0)), LONGEST_PAUSE)
            continue
        if word == "say":
            answer.text = rest
        elif word == "fail":
            answer.fail = _number(rest, 500)
        else:
            answer.tool, _, answer.arguments = rest.partition(" ")
        if number == 0:
            return answer
        number, answer = number - 1, Plan()
    return answer


def _number(text: str, otherwise: int) -> int:
    return int(text) if text.isdigit() else otherwise


def _messages(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    messages = body.get("messages")
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def text_of(message: Mapping[str, Any]) -> str:
    """The text of a message, whether it is one string or parts."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return ""


def chunks(body: Mapping[str, Any], answer: Plan) -> list[dict[str, Any]]:
    """The events of a streamed answer; the pause belongs after the first one with content."""
    if answer.tool:
        call = {"index": 0, "id": f"call_{answer.tool}", "type": "function"}
        function = {"name": answer.tool, "arguments": answer.arguments or "{}"}
        deltas: list[dict[str, Any]] = [{"tool_calls": [{**call, "function": function}]}]
    else:
        half = max(1, len(answer.text) // 2)
        deltas = [{"content": piece} for piece in (answer.text[:half], answer.text[half:]) if piece]
    deltas[0] = {"role": "assistant", **deltas[0]}
    events = [_event(body, delta, None) for delta in deltas]
    last = _event(body, {}, "tool_calls" if answer.tool else "stop")
    return [*events, {**last, "usage": _usage(answer)}]


def _event(body: Mapping[str, Any], delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-mock",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": body.get("model"),
        "choices": [choice],
    }


def whole(body: Mapping[str, Any], answer: Plan) -> dict[str, Any]:
    """The same, not streamed."""
    message: dict[str, Any] = {"role": "assistant", "content": None if answer.tool else answer.text}
    if answer.tool:
        function = {"name": answer.tool, "arguments": answer.arguments or "{}"}
        message["tool_calls"] = [{"id": f"call_{answer.tool}", "type": "function", "function": function}]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if answer.tool else "stop"}
    head = {"id": "chatcmpl-mock", "object": "chat.completion", "created": 0, "model": body.get("model")}
    return {**head, "choices": [choice], "usage": _usage(answer)}


def _usage(answer: Plan) -> dict[str, int]:
    return {"prompt_tokens": answer.tokens, "completion_tokens": 10, "total_tokens": answer.tokens + 10}


# --- the server ------------------------------------------------------------------------------------------------------


class _Handler(BaseHTTPRequestHandler):
    log: _Log
    over: threading.Event
    protocol_version = "HTTP/1.1"
    timeout = 120

    def do_GET(self) -> None:
        name, path = self._place()
        self.log.add(name, Request("other", path, self._headers(), None))
        if path == "/v1/models":
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "mock"} for name in ("m1", "m2")]
            self._json(200, {"object": "list", "data": models})
        else:
            self._json(404, {"error": {"message": f"no such route: {path}"}})

    def do_POST(self) -> None:
        name, path = self._place()
        length = int(self.headers.get("Content-Length") or 0)
        if length > BODY_LIMIT:
            self.close_connection = True
            self._json(413, {"error": {"message": "too big"}})
            return
        try:
            body = json.loads(self.rfile.read(length) or b"null")
        except ValueError:
            self._json(400, {"error": {"message": "not JSON"}})
            return
        completion = path == "/v1/chat/completions" and isinstance(body, dict)
        self.log.add(name, Request(kind_of(body) if completion else "other", path, self._headers(), body), length)
        if completion:
            self._complete(body, plan(body))
        else:
            self._json(404, {"error": {"message": f"no such route: {path}"}})

    def _complete(self, body: dict[str, Any], answer: Plan) -> None:
        if answer.fail:
            self._json(answer.fail, {"error": {"message": "asked to fail", "type": "mock"}})
        elif body.get("stream"):
            self._stream(body, answer)
        else:
            self._json(200, whole(body, answer))

    def _stream(self, body: dict[str, Any], answer: Plan) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        try:
            for number, event in enumerate(chunks(body, answer)):
                self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
                self.wfile.flush()
                if number == 0 and answer.pause:
                    self._rest(answer.pause)
            self.wfile.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # the caller hung up: that is what a pause is for

    def _rest(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self.over.is_set() and (left := until - time.monotonic()) > 0:
            self.over.wait(min(left, 0.2))
            self.wfile.write(b": still here\n\n")  # notices a caller that hung up
            self.wfile.flush()

    def _place(self) -> tuple[str, str]:
        """``/NAME/v1/...`` -> (NAME, /v1/...)"""
        path = self.path.partition("?")[0]
        name, slash, rest = path.lstrip("/").partition("/")
        return (name, slash + rest) if name != "v1" else ("", path)

    def _headers(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}

    def _json(self, status: int, body: object) -> None:
        raw = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        pass
