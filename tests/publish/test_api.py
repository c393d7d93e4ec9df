"""The client against an API that limits, refuses and breaks."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from driftwatch.errors import PublishError, UsageError
from driftwatch.publish import refusals
from driftwatch.publish.api import Api, Limits, Refused, Uncertain
from tests.publish.conftest import Clock
from tests.support.github import TOKEN, Fault, GitHub

REPO = "/repos/acme/ours"


def test_every_page_is_read(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    for index in range(250):
        github.say(number, f"comment {index}")
    found = list(api.each(f"{REPO}/issues/{number}/comments"))
    assert [entry["body"] for entry in found] == [f"comment {index}" for index in range(250)]
    assert len(github.requests) == 3


def test_a_next_page_elsewhere_is_not_asked(github: GitHub, api: Api) -> None:
    with GitHub() as other:
        link = {"Link": f'<{other.url}{REPO}/issues?page=2>; rel="next"'}
        github.faults.append(Fault("GET", "/issues", 200, link, b"[]"))
        with pytest.raises(PublishError, match="another server"):
            list(api.each(f"{REPO}/issues"))
        assert other.requests == []


def test_pages_without_end_end(github: GitHub, clock: Clock) -> None:
    github.faults += [Fault("GET", "/issues", 200, {"Link": f'<{github.url}{REPO}/issues>; rel="next"'}, b"[]") for _ in range(9)]
    with Api(github.url, TOKEN, limits=Limits(pages=5)) as api, pytest.raises(PublishError, match="more than 5 pages"):
        list(api.each(f"{REPO}/issues"))


@pytest.mark.parametrize(
    ("status", "headers", "body", "wait"),
    [
        (403, {"Retry-After": "7"}, b'{"message":"You have exceeded a secondary rate limit"}', 7),
        (429, {"Retry-After": "3"}, b"{}", 3),
        (403, {}, b'{"message":"You have exceeded a secondary rate limit. Please wait"}', 60),
        (403, {}, b'{"message":"You have triggered an abuse detection mechanism"}', 60),
        (429, {}, b"", 60),
        (502, {}, b"<html>Bad gateway</html>", 1),
        (503, {"Retry-After": "9"}, b"", 9),
    ],
)
def test_it_waits_as_long_as_it_is_told_and_then_goes_on(
    github: GitHub, api: Api, clock: Clock, status: int, headers: dict[str, str], body: bytes, wait: float
) -> None:
    github.faults.append(Fault("GET", REPO, status, headers, body))
    assert api.get(REPO)["default_branch"] == "main"
    assert clock.naps == [wait]


def test_the_primary_limit_is_waited_for_until_it_is_reset(github: GitHub, api: Api, clock: Clock) -> None:
    github.remaining, github.reset = 0, time.time() + 120
    sleep = clock.sleep

    def passes(seconds: float) -> None:
        sleep(seconds)
        github.reset = 0

    api._sleep = passes  # type: ignore[method-assign]
    api.get(REPO)
    assert len(clock.naps) == 1 and 118 < clock.naps[0] < 123


def test_patience_ends(github: GitHub, api: Api, clock: Clock) -> None:
    github.faults.append(Fault("GET", REPO, 403, {"Retry-After": "3600"}, b'{"message":"secondary rate limit"}'))
    with pytest.raises(PublishError, match="secondary") as told:
        api.get(REPO)
    assert "3600 s" in told.value.remedy and clock.naps == []
    github.faults += [Fault("GET", REPO, 500) for _ in range(4)]
    with pytest.raises(PublishError, match="HTTP 500"):
        api.get(REPO)
    assert clock.naps == [1, 2, 4]


def test_a_creation_is_repeated_only_when_it_was_not_done(github: GitHub, api: Api, clock: Clock) -> None:
    number = github.open_pull()
    path = f"{REPO}/issues/{number}/comments"
    github.faults.append(Fault("POST", "comments", 403, {"Retry-After": "1"}, b'{"message":"secondary rate limit"}'))
    api.send("POST", path, {"body": "once"})
    assert github.bodies(number) == ["once"]
    for fault in (Fault("POST", "comments", 502, after=True), Fault("POST", "comments", after=True, drop=True)):
        github.faults.append(fault)
        with pytest.raises(Uncertain):
            api.send("POST", path, {"body": "lost answer"})
    assert len(github.bodies(number)) == 3, "done each time, and never twice"


@pytest.mark.parametrize(
    ("arrange", "status", "remedy"),
    [
        (lambda g: g.allows.update(issues="read", pull_requests="read"), 403, "permission"),
        (lambda g: g.pulls[1].update(locked=True), 403, "locked"),
        (lambda g: g.pulls.clear(), 404, "GITHUB_REPOSITORY"),
        (
            lambda g: g.faults.append(Fault("POST", "comments", 410, {}, b'{"message":"Issues are disabled"}')),
            410,
            "switched off",
        ),
        (lambda g: None, 422, ""),
    ],
)
def test_a_refusal_says_why_and_what_to_do(github: GitHub, api: Api, arrange: object, status: int, remedy: str) -> None:
    assert github.open_pull() == 1
    arrange(github)  # type: ignore[operator]
    with pytest.raises(Refused) as told:
        api.send("POST", f"{REPO}/issues/1/comments", {"body": "x" * (65_537 if status == 422 else 1)})
    assert told.value.status == status and remedy in told.value.remedy
    assert ("too long" in str(told.value)) is (status == 422)


def test_a_wrong_token_is_refused_and_never_shown(github: GitHub) -> None:
    secret = "ghp_very_secret"
    github.faults.append(Fault("GET", "/x", 400, {}, f'{{"message":"token {secret} is odd\\u001b[2J"}}'.encode()))
    with Api(github.url, secret) as api:
        for path, words in (("/x", "is odd"), (REPO, "Bad credentials")):
            with pytest.raises(Refused, match=words) as told:
                api.get(path)
            assert secret not in str(told.value) + repr(told.value) and "\x1b" not in str(told.value)
    assert secret not in repr(api)


def test_a_netrc_does_not_take_the_tokens_place(
    github: GitHub, api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login other password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    assert api.get(REPO)["full_name"] == "acme/ours"


def test_odd_answers_are_errors_of_ours(github: GitHub, api: Api) -> None:
    for fault in (
        Fault("GET", REPO, 200, {"Content-Type": "text/html"}, b"<html>login</html>"),
        Fault("GET", REPO, 200, {}, b"[" * 100_000),
        Fault("GET", REPO, 302, {"Location": "http://127.0.0.1:9/elsewhere"}, b""),
    ):
        github.faults.append(fault)
        with pytest.raises(PublishError):
            api.get(REPO)
    github.faults.append(Fault("GET", "/issues", 200, {}, b'{"not": "a list"}'))
    with pytest.raises(PublishError, match="not a list"):
        list(api.each(f"{REPO}/issues"))


def test_an_answer_too_large_and_nobody_there(github: GitHub, clock: Clock) -> None:
    small = Limits(largest=1000, tries=1)
    github.faults.append(Fault("GET", REPO, 200, {}, b'"' + b"x" * 5000 + b'"'))
    with Api(github.url, TOKEN, limits=small) as api, pytest.raises(PublishError, match="too large"):
        api.get(REPO)
    gone = GitHub()
    gone._server.server_close()
    with Api(gone.url, TOKEN, sleep=clock.sleep) as api, pytest.raises(PublishError, match="refused"):
        api.send("POST", REPO, {})
    assert clock.naps == [1, 2, 4], "nothing left this machine, so that it may be tried again"


def test_dry_changes_nothing_and_says_what_it_would(github: GitHub) -> None:
    with Api(github.url, TOKEN, dry=True) as api:
        assert api.send("POST", f"{REPO}/issues", {"title": "t", "body": "b" * 100}) == {}
    assert github.requests == [] and api.log == [f"would POST {REPO}/issues: title='t', body=(100 characters)"]


def test_the_token_goes_only_over_https_or_loopback() -> None:
    with pytest.raises(UsageError, match="in the clear"):
        Api("http://api.example.invalid", TOKEN)
    Api("https://api.example.invalid", TOKEN)


def test_headers_that_are_no_numbers() -> None:
    assert refusals.wait(403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon"}, "", 0, 0.0) == 60
    assert refusals.wait(503, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, "", 0, 0.0) == 1445412480
    assert refusals.wait(503, {"Retry-After": "\u0665"}, "", 2, 0.0) == 4
    assert refusals.wait(403, {}, "Resource not accessible by integration", 0, 0.0) is None
    assert refusals.said(b"\xff[") == "" and refusals.said(b"[]") == ""
