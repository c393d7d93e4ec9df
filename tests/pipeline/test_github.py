"""A report told on GitHub through the command line; what counts as moved; refusals are exit 2 with what to do."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from driftwatch.cli import main
from driftwatch.model import EarlyRow, Report, TagRow
from driftwatch.pipeline.github import moved, outputs
from driftwatch.render import render
from tests.support import reports
from tests.support.github import LONGEST, TOKEN, Fault, GitHub

Call = Callable[..., tuple[int, str]]


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as made:
        yield made


@pytest.fixture
def call(github: GitHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Call:
    """``call("comment", report, ...)``: exit code and everything said."""
    for name in ("GITHUB_EVENT_PATH", "GH_TOKEN", "GITHUB_RUN_ID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GITHUB_API_URL", github.url)
    monkeypatch.setenv("GITHUB_REPOSITORY", github.name)
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)

    def calling(verb: str, report: Report, *more: str) -> tuple[int, str]:
        path = tmp_path / "report.json"
        path.write_text(render(report, "json"))
        out, err = io.StringIO(), io.StringIO()
        code = main(["github", verb, str(path), *more], out, err)
        return code, out.getvalue() + err.getvalue()

    return calling


def with_tags(*rows: TagRow, early: tuple[EarlyRow, ...] = ()) -> Report:
    whole = reports.compatible()
    [upstream] = whole.upstreams
    still = replace(upstream, after=upstream.before, tags=rows, early=early)
    return replace(whole, upstreams=(still,))


def test_what_counts_as_moved() -> None:
    latest, dev = TagRow("p", "latest", "1.0.0", "1.0.0", "same"), TagRow("p", "dev", "1.1.0-1", "1.1.0-2", "moved-forward")
    row = EarlyRow("p", "dev", "1.1.0-1", "1.1.0-2", "moved-forward")
    assert moved(reports.compatible()), "the version moved"
    assert not moved(with_tags(latest))
    assert not moved(with_tags(latest, dev, early=(row,))), "a nightly build that goes on"
    assert moved(with_tags(latest, dev, early=(replace(row, touches=("ts:p#Hooks.dev",)),)))
    assert moved(with_tags(replace(dev, change="added"), early=(replace(row, change="added"),)))
    assert moved(with_tags(dev)), "a tag that is not ahead moved"
    unknown = replace(reports.unverified().upstreams[0], tags=())
    lost = replace(unknown, after=replace(unknown.after, version=""))
    assert not moved(replace(reports.unverified(), upstreams=(lost,))), "what was not seen has not moved"


@pytest.mark.parametrize("name", reports.SAMPLES)
def test_outputs_hold_our_words_only(name: str) -> None:
    told = outputs(reports.SAMPLES[name]())
    assert told["outcome"] == name and told["moved"] == "true" and told["broken"] == str(name == "broken").lower()
    hostile = outputs(replace(reports.everything("a\nmoved=true\nb"), outcome="drifted", exit_code=0))
    assert all(value.replace("-", "").isalnum() for value in hostile.values())


@pytest.mark.slow
def test_comments_of_any_report_fit_and_are_one(github: GitHub, call: Call) -> None:
    number = str(github.open_pull())
    for report in (reports.broken(), reports.everything("x" * 3000, 2), reports.everything(size=4)):
        code, said = call("comment", replace(report, project="ours"), "--pull", number, "--untrusted")
        assert code == 0, said
        [body] = github.bodies(int(number))
        assert len(body) <= LONGEST and "without secrets" in body


@pytest.mark.slow
def test_issues_of_any_report_fit(github: GitHub, call: Call) -> None:
    hostile = reports.everything(size=3)
    broken = tuple(replace(one, id=f"up{n}", outcome="broken") for n, one in enumerate(hostile.upstreams[:3]))
    code, said = call("issue", replace(hostile, upstreams=broken))  # type: ignore[arg-type]
    assert code == 0, said
    assert len(github.issues) == len(broken)
    for issue in github.issues.values():
        assert len(issue["body"]) <= LONGEST and "\n" not in issue["title"] and len(issue["title"]) <= 256


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"GITHUB_TOKEN": ""}, "set GITHUB_TOKEN"),
        ({"GITHUB_TOKEN": "wrong"}, "Bad credentials"),
        ({"GITHUB_REPOSITORY": ""}, "set GITHUB_REPOSITORY"),
        ({"GITHUB_REPOSITORY": "acme/other"}, "GITHUB_REPOSITORY"),
        ({"GITHUB_API_URL": "http://api.example.invalid"}, "in the clear"),
    ],
)
def test_refusals_are_exit_2_and_say_what_to_do(
    github: GitHub, call: Call, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], words: str
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    code, said = call("comment", reports.broken(), "--pull", "1")
    assert code == 2 and words in said and TOKEN not in said
    assert github.writes() == []


def test_without_a_pull_request_and_with_a_bad_report(call: Call, tmp_path: Path) -> None:
    assert call("comment", reports.broken()) == (2, "driftwatch: this run is not about a pull request\n  give --pull NUMBER\n")
    for text in ("{}", "nonsense"):
        path = tmp_path / "bad.json"
        path.write_text(text)
        for verb in ("comment", "issue", "outputs"):
            assert main(["github", verb, str(path)], io.StringIO(), io.StringIO()) == 2
    link = tmp_path / "link.json"
    link.symlink_to("/etc/hostname")
    assert main(["github", "outputs", str(link)], io.StringIO(), io.StringIO()) == 2


def test_a_limit_is_waited_for_and_said(github: GitHub, call: Call) -> None:
    number = str(github.open_pull())
    github.faults.append(Fault("POST", "comments", 403, {"Retry-After": "0"}, b'{"message":"secondary rate limit"}'))
    code, said = call("comment", reports.broken(), "--pull", number)
    assert code == 0 and "secondary rate limit; waiting 0 s" in said


def test_outputs_are_lines_for_a_workflow(call: Call) -> None:
    code, said = call("outputs", reports.broken())
    lines = dict(line.split("=", 1) for line in said.splitlines())
    assert code == 0 and lines == {"outcome": "broken", "exit-code": "10", "moved": "true", "broken": "true"}
    assert json.loads(render(reports.broken(), "json"))["exit_code"] == 10
