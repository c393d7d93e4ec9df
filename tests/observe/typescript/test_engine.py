"""The engine's child process: what it is told, and what becomes of one that fails."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from driftwatch.errors import Unobservable
from driftwatch.observe.typescript import engine
from driftwatch.observe.typescript.engine import Ahead, Job, read
from driftwatch.observe.typescript.tools import Engine

ANSWER = """
def answer(job, value):
    with open(job["out"] + ".part", "w") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))
    os.rename(job["out"] + ".part", job["out"])
"""


def runtime(tmp_path: Path, body: str) -> Engine:
    """A stand-in for the JavaScript runtime: it gets the engine's arguments."""
    script = tmp_path / "runtime"
    wait = "while not os.path.exists(sys.argv[3]): time.sleep(0.005)"
    script.write_text(
        f'#!/bin/sh\n"exec" "{sys.executable}" "$0" "$@"\n'  # Python and shell: a path with a space is no interpreter's
        f"import json, os, sys, time\n{ANSWER}{wait}\njobs = json.load(open(sys.argv[3]))\n{body}\n",
        "utf-8",
    )
    script.chmod(0o755)
    return Engine(script, tmp_path / "compiler")


def job(tmp_path: Path, name: str = "p") -> Job:
    return Job(tmp_path / name, name, (name,))


@pytest.mark.slow
def test_answers_come_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    made = runtime(tmp_path, "for job in jobs: answer(job, {'name': job['name'], 'follow': job['follow']})")
    answers = list(read([job(tmp_path, "a"), job(tmp_path, "b")], made))
    assert answers == [{"name": "a", "follow": ["a"]}, {"name": "b", "follow": ["b"]}]


@pytest.mark.slow
def test_many_jobs_are_read_by_several_processes(tmp_path: Path) -> None:
    made = runtime(tmp_path, "for job in jobs: answer(job, {'pid': os.getpid()})")
    answers = list(read([job(tmp_path)] * (engine.BATCH + 1), made))
    assert len(answers) == engine.BATCH + 1
    assert len({answer["pid"] for answer in answers}) == 2


def test_nothing_of_our_environment_is_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPM_TOKEN", "secret")
    made = runtime(tmp_path, "answer(jobs[0], {'names': sorted(os.environ)})")
    (answer,) = read([job(tmp_path)], made)
    assert "NPM_TOKEN" not in answer["names"]


def test_a_process_that_fails_says_what_it_said(tmp_path: Path) -> None:
    with pytest.raises(Unobservable, match="no memory left"):
        list(read([job(tmp_path)], runtime(tmp_path, "print('no memory left'); sys.exit(3)")))


def test_a_job_without_an_answer_fails_alone(tmp_path: Path) -> None:
    made = runtime(tmp_path, "answer(jobs[1], {'fine': 1}); answer(jobs[0], '{')")
    broken, fine = read([job(tmp_path, "a"), job(tmp_path, "b")], made)
    assert "no answer" in broken["failed"]
    assert fine == {"fine": 1}


def test_a_runtime_that_is_not_there_is_unobservable(tmp_path: Path) -> None:
    with pytest.raises(Unobservable):
        list(read([job(tmp_path)], Engine(tmp_path / "nowhere", tmp_path)))


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "tmp"
    home.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(home))
    list(read([job(tmp_path)], runtime(tmp_path, "answer(jobs[0], {})")))
    assert list(home.iterdir()) == []


def test_a_job_is_told_as_plain_json(tmp_path: Path) -> None:
    made = runtime(tmp_path, "answer(jobs[0], jobs[0])")
    (told,) = read([Job(tmp_path, "p", ("p", "q"), (tmp_path / "n.d.ts",), (tmp_path / "e",), (tmp_path,))], made)
    assert json.loads(json.dumps(told))["ambient"] == [str(tmp_path / "n.d.ts")]
    assert told["barrels"] == [str(tmp_path / "e")]


WHO = "for job in jobs: answer(job, {'pid': os.getpid()})"


def test_an_engine_started_ahead_takes_the_first_jobs(tmp_path: Path) -> None:
    made = runtime(tmp_path, WHO)
    with Ahead() as ahead:
        ahead.start(lambda: made)
        ahead.start(lambda: made)  # nothing more
        assert ahead._begun is not None
        pid = ahead._begun.child.pid
        answers = list(read([job(tmp_path)] * (engine.BATCH + 1), made, ahead))
    assert [answer["pid"] == pid for answer in answers] == [True] * engine.BATCH + [False]


def test_an_engine_started_ahead_for_nothing_is_ended(tmp_path: Path) -> None:
    with Ahead() as ahead:
        ahead.start(lambda: runtime(tmp_path, WHO))
        assert ahead._begun is not None
        begun = ahead._begun
        assert begun.child.alive()
    assert not begun.child.alive()
    assert not begun.home.exists()


def test_an_engine_that_died_while_it_waited_is_started_again(tmp_path: Path) -> None:
    made = runtime(tmp_path, WHO)
    with Ahead() as ahead:
        ahead.start(lambda: runtime(tmp_path, WHO))
        assert ahead._begun is not None
        ahead._begun.child.end()
        (answer,) = read([job(tmp_path)], made, ahead)
    assert answer["pid"]


def test_one_that_cannot_be_started_ahead_says_so_when_there_are_jobs(tmp_path: Path) -> None:
    nowhere = Engine(tmp_path / "nowhere", tmp_path)
    with Ahead() as ahead:
        ahead.start(lambda: nowhere)
        with pytest.raises(Unobservable):
            list(read([job(tmp_path)], nowhere, ahead))


def test_an_engine_started_ahead_is_told_what_to_expect(tmp_path: Path) -> None:
    made = runtime(tmp_path, "answer(jobs[0], {'expected': open(sys.argv[4]).read().split()})")
    folders = [tmp_path / f"p{number}" for number in range(engine.BATCH + 2)]
    with Ahead() as ahead:
        ahead.expect(tmp_path)  # nobody is there to be told
        ahead.start(lambda: made)
        for folder in folders:
            ahead.expect(folder)
        (answer,) = read([job(tmp_path)], made, ahead)
    assert answer["expected"] == [str(folder) for folder in folders[: engine.BATCH]]


def test_an_answer_is_given_while_the_next_one_is_worked_out(tmp_path: Path) -> None:
    made = runtime(
        tmp_path, f"answer(jobs[0], {{}})\nwhile not os.path.exists({str(tmp_path / 'go')!r}): pass\nanswer(jobs[1], {{}})"
    )
    answers = read([job(tmp_path)] * 2, made)
    assert next(answers) == {}
    (tmp_path / "go").touch()
    assert list(answers) == [{}]
