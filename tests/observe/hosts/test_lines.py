"""Hosts of the 2.x line: told by what they print and answer, asked with their password, and what is said when they fail."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from driftwatch.observe.hosts import Binary, HostError
from driftwatch.observe.hosts.document import served
from driftwatch.observe.hosts.opencode import TALKS, OpenCode
from driftwatch.observe.hosts.starts import STARTS
from tests.support import fake_host, fake_host2


def starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    file = tmp_path / "starts"
    file.touch()
    monkeypatch.setenv("FAKE_STARTS", str(file))
    return file


def launched(tmp_path: Path, fault: str = "") -> Binary:
    return OpenCode().launched(fake_host2.words(fault), tmp_path, ["FAKE_STARTS"])


@pytest.mark.parametrize("fault", ["", "late-password", "open", "html"])
def test_the_line_is_told_by_what_it_answers(tmp_path: Path, fault: str) -> None:
    found = OpenCode(20).binary_at(fake_host2.make(tmp_path / "bin", fault, version="1.99.0"))
    with OpenCode(20).boot(found, scratch=tmp_path / "work") as host:
        assert (host.line, host.version(), host.shares) == ("2", "1.99.0", True)
        project = host.project("one", {".driftwatch/x": ""}, {}, "http://127.0.0.1:1/v1")
        assert host.open(project, 5).json["directory"] == str(project)
        assert host.request("GET", "/api/location", directory=project).json["directory"] == str(project)
        assert not host.request("GET", "/config", directory=project).is_json
    assert list((tmp_path / "work").iterdir()) == []


@pytest.mark.slow
def test_a_host_of_the_first_line_stays_one(tmp_path: Path) -> None:
    with OpenCode(20).boot(OpenCode().binary_at(fake_host.make(tmp_path / "bin")), scratch=tmp_path / "work") as host:
        assert (host.line, host.version()) == ("1", fake_host.VERSION)


FAULTS = {
    "wrong-password": "the host refuses the password it printed",
    "no-password": "the host wants a password and printed none",
    "never-listens": "the host did not listen within 1.5 s: still thinking",
    "mute": "the host listens but gives no answer to GET /global/health",
    "dies": "the host exited with code 4 before it listened: fatal: no database",
    "dies-soon": "the host exited with code 9",
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_one_that_does_not_come_up_says_why(tmp_path: Path, fault: str) -> None:
    patience = 1.5 if fault in {"never-listens", "mute", "no-password"} else 20
    found = OpenCode().binary_at(fake_host2.make(tmp_path / "bin", fault))
    with pytest.raises(HostError) as caught, OpenCode(patience).boot(found, scratch=tmp_path / "work"):
        pass
    assert FAULTS[fault] in caught.value.message
    assert fake_host2.PASSWORD not in caught.value.message
    assert list((tmp_path / "work").iterdir()) == []


class Counting(OpenCode):
    """Counts what it really starts."""

    starts = 0

    @contextmanager
    def _start(self, *given: Any, **named: Any) -> Iterator[Any]:
        self.starts += 1
        with super()._start(*given, **named) as host:
            yield host


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["never-listens", "mute", "no-password"])
def test_a_host_that_keeps_silent_is_waited_for_twice_and_not_again(tmp_path: Path, fault: str) -> None:
    found, driver = launched(tmp_path, fault), Counting(2 if fault == "no-password" else 0.6)
    STARTS.refused(found, TALKS)
    for _ in range(5):
        with pytest.raises(HostError) as caught, driver.boot(found, scratch=tmp_path / "work"):
            pass
    assert driver.starts == 2
    assert "tried 2 times; not again" in caught.value.message


@pytest.mark.slow
def test_a_refused_option_is_left_out_from_then_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = starts(tmp_path, monkeypatch)
    found = launched(tmp_path)
    for expected in (2, 3):
        with OpenCode(20).boot(found, scratch=tmp_path / "work"):
            pass
        assert counted.read_text().count("start") == expected


@pytest.mark.slow
def test_the_password_of_the_environment_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENCODE_SERVER_PASSWORD", fake_host2.PASSWORD)
    found = OpenCode().launched(fake_host2.words("no-password"), tmp_path, ["OPENCODE_SERVER_PASSWORD"])
    with OpenCode(20).boot(found, scratch=tmp_path / "work") as host:
        assert host.line == "2"


def test_the_served_document_is_kept_only_of_a_host_that_can_be_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = OpenCode().binary_at(fake_host2.make(tmp_path / "bin"))
    for _ in range(2):
        told = served(OpenCode(20), found, cache=tmp_path / "cache", scratch=tmp_path / "work")
        assert (told.version, b'"openapi": "3.1.0"' in told.data) == ("local", True)
    counted = starts(tmp_path, monkeypatch)
    unknown = launched(tmp_path)
    for number in (1, 2):
        served(OpenCode(20), unknown, cache=tmp_path / "cache", scratch=tmp_path / "work")
        assert counted.read_text().count("start") == number + 1  # one more for the refused option
