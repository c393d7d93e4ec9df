"""What the last look saw."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.errors import ConfigError
from driftwatch.store import observed
from driftwatch.store.observed import Seen, SeenUpstream, SeenVersion

WORDS = st.text(max_size=8)
VERSIONS = st.dictionaries(WORDS, st.dictionaries(WORDS, st.builds(SeenVersion, WORDS, WORDS), max_size=3), max_size=3)
UPSTREAMS = st.builds(SeenUpstream, WORDS, st.dictionaries(WORDS, WORDS, max_size=3), VERSIONS)
SAMPLE = Seen(
    {
        "up": SeenUpstream(
            "2027-01-31T10:00:00Z",
            {"pkg#latest": "1.1.0", "pkg#beta": "1.2.0-beta.1"},
            {"pkg": {"1.1.0": SeenVersion("sha512-b"), "1.0.0": SeenVersion("sha512-a", "use 1.1.0")}},
        )
    }
)


def test_the_text() -> None:
    assert (
        observed.dump(SAMPLE)
        == """\
{
  "version": 1,
  "upstreams": {
    "up": {
      "looked_at": "2027-01-31T10:00:00Z",
      "tags": {
        "pkg#beta": "1.2.0-beta.1",
        "pkg#latest": "1.1.0"
      },
      "versions": {
        "pkg": {"1.0.0": {"deprecated": "use 1.1.0", "integrity": "sha512-a"}, "1.1.0": {"integrity": "sha512-b"}}
      }
    }
  }
}
"""
    )


@settings(max_examples=30)  # each is a forced write
@given(st.builds(Seen, st.dictionaries(WORDS, UPSTREAMS, max_size=2)))
@pytest.mark.slow
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, seen: Seen) -> None:
    path = tmp_path_factory.getbasetemp() / "observed.json"
    path.unlink(missing_ok=True)
    observed.write(path, seen)
    assert observed.read(path) == seen


def test_none_before_the_first_look(tmp_path: Path) -> None:
    assert observed.read(tmp_path / "observed.json") is None


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ('"version": 1', '"version": 7', 2, "newer driftwatch"),
        ('"looked_at": "2027-01-31T10:00:00Z"', '"looked_at": null', 5, "looked_at must be text"),
        ('"integrity": "sha512-b"', '"integrity": 1', 11, "1.1.0.integrity must be text"),
        ('"versions"', '"version"', 10, "did you mean 'versions'?"),
        ("}\n  }\n}\n", "", 12, "cut off"),
    ],
)
def test_a_broken_one_is_refused_and_kept(old: str, new: str, line: int, words: str, tmp_path: Path) -> None:
    path = tmp_path / "observed.json"
    path.write_text(observed.dump(SAMPLE).replace(old, new))
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught:
        observed.write(path, SAMPLE)
    problem = caught.value.problems[0]
    assert (problem.line, words in problem.message) == (line, True), str(problem)
    assert "delete it" in problem.remedy
    assert path.read_bytes() == before
