"""One comment, one pull request, one issue: begun, kept up to date, ended; and twice is once."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from driftwatch.errors import UsageError
from driftwatch.publish import comment, issue, pull
from driftwatch.publish.api import Api, Refused
from driftwatch.publish.common import BOT, me, same
from driftwatch.publish.place import Place
from driftwatch.publish.pull import Proposal
from tests.support.github import TOKEN, Fault, GitHub

MARK = "<!-- driftwatch:ours -->"
REPO = GitHub.name


def stick(api: Api, number: int, text: str, **more: bool) -> str:
    return comment.stick(api, REPO, number, MARK, f"{MARK}\n{text}", BOT, **more).action


@pytest.mark.slow
def test_one_comment_is_created_updated_in_place_and_left_when_it_says_the_same(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    for index in range(140):
        github.say(number, f"chatter {index}")
    assert stick(api, number, "broken at 2026-01-01T00:00:00Z") == "created"
    for index in range(140):
        github.say(number, f"more {index}")
    assert stick(api, number, "broken at 2026-01-02T10:00:00Z") == "same"
    assert stick(api, number, "fine") == "updated"
    assert github.bodies(number) == [f"{MARK}\nfine"]
    assert [method for method, _ in github.writes()] == ["POST", "PATCH"]


def test_a_stranger_with_our_mark_is_not_our_comment(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    forged = github.say(number, f"{MARK}\nall is well", "mallory")
    assert stick(api, number, "broken") == "created"
    assert github.comments[forged]["body"] == f"{MARK}\nall is well"
    github.say(number, f"quoting {MARK}\n", BOT)
    assert stick(api, number, "broken") == "same", "the mark counts only as the first line"


def test_with_nothing_to_say_none_is_begun_but_one_that_is_there_is_corrected(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    assert stick(api, number, "nothing moved", quiet=True) == "none" and github.writes() == []
    stick(api, number, "broken")
    assert stick(api, number, "nothing moved", quiet=True) == "updated"


def test_two_that_raced_become_one(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    for text in ("first", "second"):
        github.say(number, f"{MARK}\n{text}", BOT)
    assert stick(api, number, "third") == "updated"
    assert github.bodies(number) == [f"{MARK}\nthird"]


def test_a_lost_answer_does_not_make_a_second_comment(github: GitHub, api: Api) -> None:
    number = github.open_pull()
    github.faults.append(Fault("POST", "comments", 502, after=True))
    assert stick(api, number, "once") == "same"
    github.faults.append(Fault("POST", "issues", 504, after=True))
    assert issue.follow(api, REPO, MARK, "broken", "t", f"{MARK}\nb", BOT).action == "same"
    assert len(github.bodies(number)) == 1 and len(github.issues) == 1


@pytest.mark.slow
def test_an_issue_lives_as_long_as_something_is_broken(github: GitHub, api: Api) -> None:
    def follow(state: issue.State, title: str = "t", body: str = "b") -> str:
        return issue.follow(api, REPO, MARK, state, title, f"{MARK}\n{body}" if state == "broken" else body, BOT).action

    assert follow("holds") == "none"
    assert [follow("broken"), follow("broken"), follow("broken", "t2")] == ["created", "same", "updated"]
    assert follow("unknown") == "left-alone"
    [only] = github.issues.values()
    assert (only["state"], only["title"]) == ("open", "t2")
    assert follow("holds", body="holds again at 1.2.0") == "closed"
    assert (only["state"], only["state_reason"]) == ("closed", "completed")
    assert github.bodies(only["number"]) == ["holds again at 1.2.0"]
    assert follow("holds") == "none", "said once"
    assert follow("broken") == "created" and len(github.issues) == 2


def test_issues_and_pulls_of_others_are_not_ours(github: GitHub, api: Api) -> None:
    github.login = "dev"
    api.send("POST", f"/repos/{REPO}/issues", {"title": "forged", "body": MARK})
    github.login = BOT
    github.push("feature", {"a": b"b"}, "Work")
    github.open_pull(login=BOT)
    next(iter(github.pulls.values()))["body"] = MARK
    assert issue.follow(api, REPO, MARK, "holds", "", "", BOT).action == "none"


def proposal(text: str = "report", digest: str = "d1", **more: str) -> Proposal:
    words = {"branch": "driftwatch/update", "base": "main", "title": "moved", "body": "see", "message": "Report drift", **more}
    return Proposal(files={"reports/latest.md": text.encode(), "watchlist.lock": b"{}\n"}, digest=digest, **words)


def test_one_branch_and_one_pull_request(github: GitHub, api: Api) -> None:
    assert pull.propose(api, REPO, proposal()).action == "created"
    assert github.files("driftwatch/update")["reports/latest.md"] == b"report"
    assert github.files("driftwatch/update")["readme.md"] == b"hello\n", "what was there stays"
    assert github.files("main") == {"readme.md": b"hello\n"}
    before = len(github.writes())
    assert pull.propose(api, REPO, proposal("report made at another time")).action == "same"
    assert len(github.writes()) == before
    assert pull.propose(api, REPO, proposal("other", "d2", title="moved on")).action == "updated"
    [only] = github.pulls.values()
    assert only["title"] == "moved on" and github.files("driftwatch/update")["reports/latest.md"] == b"other"
    assert github.commits[github.refs["driftwatch/update"]]["parents"] == [github.refs["main"]]


def test_a_file_that_is_run_stays_one(github: GitHub, api: Api) -> None:
    given = replace(proposal(), files={"readme.md": b"x", "release.sh": b"y"}, executable=frozenset({"release.sh"}))
    assert pull.propose(api, REPO, given).action == "created"
    assert github.modes == {"readme.md": "100644", "release.sh": "100755"}


@pytest.mark.slow
def test_a_pull_request_that_conflicts_is_built_again_on_the_base(github: GitHub, api: Api) -> None:
    pull.propose(api, REPO, proposal())
    newest = github.push("main", {"reports/latest.md": b"by hand"}, "Edit")
    assert pull.propose(api, REPO, proposal()).action == "same", "a base that moved is no reason by itself"
    next(iter(github.pulls.values()))["mergeable"] = False
    assert pull.propose(api, REPO, proposal()).action == "updated"
    assert github.commits[github.refs["driftwatch/update"]]["parents"] == [newest]


@pytest.mark.slow
def test_commits_of_somebody_else_are_left_alone(github: GitHub, api: Api) -> None:
    pull.propose(api, REPO, proposal())
    theirs = github.push("driftwatch/update", {"fix.ts": b"x"}, "Fix it")
    assert pull.propose(api, REPO, proposal("new", "d2")).action == "left-alone"
    assert pull.withdraw(api, REPO, "driftwatch/update", "main", "gone").action == "left-alone"
    assert github.refs["driftwatch/update"] == theirs and next(iter(github.pulls.values()))["state"] == "open"


@pytest.mark.slow
def test_withdrawn_when_there_is_nothing_to_propose(github: GitHub, api: Api) -> None:
    assert pull.withdraw(api, REPO, "driftwatch/update", "main", "gone").action == "none"
    pull.propose(api, REPO, proposal())
    assert pull.withdraw(api, REPO, "driftwatch/update", "main", "nothing differs").action == "withdrawn"
    [only] = github.pulls.values()
    assert only["state"] == "closed" and "driftwatch/update" not in github.refs
    assert github.bodies(only["number"]) == ["nothing differs"]
    assert pull.propose(api, REPO, proposal()).action == "created"


@pytest.mark.slow
def test_a_branch_without_its_pull_request_gets_one_again(github: GitHub, api: Api) -> None:
    pull.propose(api, REPO, proposal())
    next(iter(github.pulls.values()))["state"] = "closed"
    assert pull.propose(api, REPO, proposal()).action == "created"


@pytest.mark.slow
def test_lost_answers_and_races_still_give_one_pull_request(github: GitHub, api: Api) -> None:
    github.faults += [Fault("POST", "/pulls", 502, after=True), Fault("POST", "/git/refs", 502, after=True)]
    assert pull.propose(api, REPO, proposal()).action == "created"
    assert len(github.pulls) == 1


@pytest.mark.slow
def test_a_workflow_that_may_not_open_pull_requests_is_told_which_setting(github: GitHub, api: Api) -> None:
    github.may_open_pulls = False
    with pytest.raises(Refused) as told:
        pull.propose(api, REPO, proposal())
    assert "Settings, Actions, General" in told.value.remedy


def test_who_we_are(github: GitHub, api: Api) -> None:
    assert me(api) == BOT
    github.login = "release-bot"
    assert me(api) == "release-bot"


def test_what_is_the_same() -> None:
    assert same("a\r\nb  2026-01-01T00:00:00Z\n", "a\nb  2027-01-01T10:00:00Z")
    assert not same("a", "b")


def place(tmp_path: Path, event: object, **more: str) -> Place:
    path = tmp_path / "event.json"
    path.write_text(json.dumps(event))
    return Place({"GITHUB_REPOSITORY": REPO, "GITHUB_TOKEN": TOKEN, "GITHUB_EVENT_PATH": str(path), **more})


def run_of(owner: str, branch: str, sha: str) -> object:
    return {"workflow_run": {"head_repository": {"owner": {"login": owner}}, "head_branch": branch, "head_sha": sha}}


def test_the_pull_request_comes_from_githubs_event(github: GitHub, api: Api, tmp_path: Path) -> None:
    assert place(tmp_path, {"pull_request": {"number": 7}}).pull(api) == 7
    head = github.push("patch", {"a": b"b"}, "Fork's commit")
    number = github.open_pull("patch", "forker", owner="forker")
    assert place(tmp_path, run_of("forker", "patch", head)).pull(api) == number
    assert place(tmp_path, run_of("forker", "patch", "0" * 40)).pull(api) == 0, "it has moved on since"
    assert place(tmp_path, run_of("mallory", "patch", head)).pull(api) == 0, "another fork's branch of that name"
    for event in ({}, [], {"pull_request": {"number": "7"}}, {"workflow_run": {}}):
        with pytest.raises(UsageError):
            place(tmp_path, event).pull(api)


@pytest.mark.parametrize("repository", ["", "acme", "acme/..", "acme/x/y", "acme/x?y", "../x"])
def test_a_repository_is_owner_and_name(repository: str) -> None:
    with pytest.raises(UsageError, match="not a repository"):
        Place({"GITHUB_REPOSITORY": repository, "GITHUB_TOKEN": TOKEN})


def test_without_a_token_the_error_says_so_and_it_never_shows_itself() -> None:
    with pytest.raises(UsageError, match="no token"):
        Place({"GITHUB_REPOSITORY": REPO})
    with pytest.raises(UsageError, match="no token"):
        Place({"GITHUB_REPOSITORY": REPO, "GITHUB_TOKEN": "a\nb"})
    assert TOKEN not in repr(Place({"GITHUB_REPOSITORY": REPO, "GITHUB_TOKEN": TOKEN}))
