"""The mock model: what it answers, and that it tells the three sorts of call apart."""

from __future__ import annotations

import json
import threading
import time
from http.client import HTTPConnection
from typing import Any

import pytest

from driftwatch.observe.hosts.model import MockModel, kind_of, plan

TOOLS = [{"type": "function", "function": {"name": "bash"}}]


def body(*messages: tuple[str, Any], tools: bool = True, **more: Any) -> dict[str, Any]:
    told = [{"role": role, "content": content} for role, content in messages]
    return {"model": "m1", "messages": told, **({"tools": TOOLS} if tools else {}), **more}


SCRIPT = 'do it\nmock:tool bash {"command": "ls"}\nmock:tokens 90000\nmock:say all done\nmock:fail 429'

PICTURE = [{"type": "text", "text": "Attached image(s) from tool result:"}, {"type": "image_url", "image_url": {"url": "data:,"}}]


@pytest.mark.parametrize(
    "messages, expected",
    [
        ([("user", "hello")], ("done", "", 100, 0)),
        ([("user", SCRIPT)], ("done", "bash", 100, 0)),
        ([("user", SCRIPT), ("assistant", None), ("tool", "a b")], ("all done", "", 90000, 0)),
        ([("user", SCRIPT), ("assistant", None), ("tool", "a"), ("assistant", "all done")], ("done", "", 100, 429)),
        ([("user", SCRIPT), ("assistant", "x"), ("assistant", "y"), ("assistant", "z")], ("done", "", 100, 0)),
        ([("user", SCRIPT), ("assistant", "old"), ("user", "mock:say new")], ("new", "", 100, 0)),
        ([("user", [{"type": "text", "text": "mock:say parts"}])], ("parts", "", 100, 0)),
        ([("system", "mock:say no"), ("user", "hi")], ("done", "", 100, 0)),
        ([("user", SCRIPT), ("assistant", None), ("tool", "a"), ("user", PICTURE)], ("all done", "", 90000, 0)),
        ([("user", SCRIPT), ("assistant", None), ("tool", "refused"), ("user", "next")], ("done", "", 100, 0)),
        ([("user", SCRIPT), ("assistant", None), ("tool", "a"), ("user", PICTURE[1:])], ("all done", "", 90000, 0)),
        ([("user", SCRIPT), ("assistant", "x"), ("user", PICTURE)], ("done", "", 100, 0)),
        ([], ("done", "", 100, 0)),
    ],
)
def test_the_newest_user_message_steers(messages: list[tuple[str, Any]], expected: tuple[str, str, int, int]) -> None:
    answer = plan(body(*messages))
    assert (answer.text, answer.tool, answer.tokens, answer.fail) == expected


def test_titles_and_compactions_ignore_directives() -> None:
    title = body(("system", "You are a title generator."), ("user", "mock:say no"), tools=False)
    compaction = body(("user", "mock:fail 500"), tools=False)
    assert (kind_of(title), plan(title).text) == ("title", "A title")
    assert (kind_of(compaction), plan(compaction).text) == ("compaction", "A summary")
    assert kind_of([]) == "other"


def call(model: MockModel, path: str, sent: Any = None, method: str = "POST") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", model.port, timeout=5)
    connection.request(method, path, json.dumps(sent) if method == "POST" else None, {"X-Probe": "yes"})
    response = connection.getresponse()
    return response.status, response.read().decode()


def test_streamed_and_whole_answers_say_the_same() -> None:
    with MockModel() as model:
        status, streamed = call(model, "/one/v1/chat/completions", body(("user", "mock:say hello"), stream=True))
        assert status == 200
        events = [line.removeprefix("data: ") for line in streamed.splitlines() if line.startswith("data: ")]
        assert events[-1] == "[DONE]"
        parsed = [json.loads(event) for event in events[:-1]]
        assert "".join(event["choices"][0]["delta"].get("content", "") for event in parsed) == "hello"
        assert parsed[-1]["choices"][0]["finish_reason"] == "stop"
        assert parsed[-1]["usage"]["prompt_tokens"] == 100
        whole = json.loads(call(model, "/one/v1/chat/completions", body(("user", "mock:say hello")))[1])
        assert whole["choices"][0]["message"]["content"] == "hello"


def test_a_tool_call_carries_its_arguments() -> None:
    with MockModel() as model:
        _, text = call(model, "/one/v1/chat/completions", body(("user", 'mock:tool bash {"command": "ls"}'), stream=True))
        first = json.loads(text.split("data: ")[1])["choices"][0]["delta"]["tool_calls"][0]
        assert first["function"] == {"name": "bash", "arguments": '{"command": "ls"}'}
        assert '"finish_reason": "tool_calls"' in text


def test_requests_are_kept_by_name() -> None:
    with MockModel() as model:
        call(model, "/one/v1/chat/completions", body(("user", "a")))
        call(model, "/two/v1/models", method="GET")
        (request,) = model.requests("one")
        assert (request.kind, request.path, request.headers["x-probe"]) == ("turn", "/v1/chat/completions", "yes")
        assert request.body["messages"][0]["content"] == "a"
        assert [asked.kind for asked in model.requests("two")] == ["other"]
        assert model.requests("three") == ()
        assert model.url("one") == f"http://127.0.0.1:{model.port}/one/v1"


@pytest.mark.parametrize(
    "path, sent, status",
    [
        ("/one/v1/responses", {}, 404),
        ("/one/v1/chat/completions", [1], 404),
        ("/one/v1/chat/completions", body(("user", "mock:fail 429")), 429),
    ],
)
def test_other_answers(path: str, sent: Any, status: int) -> None:
    with MockModel() as model:
        assert call(model, path, sent)[0] == status


def test_who_asks_without_end_is_counted_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("driftwatch.observe.hosts.model.KEPT", 400)
    monkeypatch.setattr("driftwatch.observe.hosts.model.MOST", 3)
    with MockModel() as model:
        for _ in range(5):
            call(model, "/own/v1/chat/completions", body(("user", "x" * 200)))
        asked = model.requests("own")
    assert [request.body is None for request in asked] == [False, True, True]


def test_waiting_for_a_request() -> None:
    with MockModel() as model:
        assert not model.wait("one", 1, 0.05)
        threading.Timer(0.05, lambda: call(model, "/one/v1/chat/completions", body(("user", "a")))).start()
        assert model.wait("one", 1, 5, "turn")
        assert not model.wait("one", 1, 0.05, "title")


def test_a_pause_can_be_left_and_does_not_outlive_the_server() -> None:
    started = time.monotonic()
    with MockModel() as model:
        connection = HTTPConnection("127.0.0.1", model.port, timeout=5)
        connection.request(
            "POST", "/one/v1/chat/completions", json.dumps(body(("user", "mock:pause 50\nmock:say hello"), stream=True))
        )
        response = connection.getresponse()
        assert b"he" in response.read1(65536)
        connection.close()
    assert time.monotonic() - started < 3
