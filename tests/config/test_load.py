"""A good watchlist, and what comes of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from pydantic import ValidationError

from driftwatch.config import load
from driftwatch.config.model import GitRepository, Reliance, Watchlist
from driftwatch.errors import ConfigError

GOOD = """\
version: 1
project:
  name: overclock
  role: implementer
  source: [src, "extra/**/*.ts"]
registry: http://127.0.0.1:4873/
upstreams:
  - id: opencode
    packages: ["@opencode-ai/plugin", opencode-ai]
    accepted: 1.18.4
    git:
      url: ../mirror
      tags: v{version}
    host:
      driver: opencode
      command: [bun, run, src/index.ts]
      directory: upstream
      environment: [LANG]
    watch:
      - path: packages/plugin/src/v2/**
        breaks: |
          v2 domains appearing
          (tool, event, session)
    probes: [opencode/load, ./probes/own]
    relies_on:
      - probe:opencode/dispose#fired
      - address: ts:@opencode-ai/plugin#Hooks["tool.execute.before"]
        why: rewrites the arguments
        role: consumer
    severity:
      - {rule: tag-moved, severity: ignore, reason: noise}
waivers:
  - {rule: tag-moved, address: "tag:**", reason: seen, expires: 2027-01-31, upstream: opencode}
  - {rule: tag-moved, address: "tag:**", reason: seen, expires: "2027-02-01"}
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "watchlist.yaml"
    path.write_text(text, "utf-8")
    return path


def test_a_good_watchlist_is_read_whole(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD)
    watchlist = load(path, rules={"tag-moved"}, probes={"opencode/load"}, drivers={"opencode"})
    upstream = watchlist.upstreams[0]
    assert watchlist.path == path
    assert watchlist.root == tmp_path
    assert watchlist.project.manifest == "package.json"
    assert (upstream.primary, upstream.tag, upstream.accepted) == ("@opencode-ai/plugin", "latest", "1.18.4")
    assert upstream.watch[0].breaks == "v2 domains appearing\n(tool, event, session)\n"
    assert upstream.relies_on[0] == Reliance(address="probe:opencode/dispose#fired")
    assert upstream.relies_on[1].role == "consumer"
    assert [waiver.expires for waiver in watchlist.waivers] == [date(2027, 1, 31), date(2027, 2, 1)]
    assert upstream.severity[0].severity == "ignore"
    assert watchlist.reports == "reports"


def test_it_cannot_be_changed(tmp_path: Path) -> None:
    watchlist = load(write(tmp_path, GOOD))
    with pytest.raises(ValidationError):
        watchlist.project.name = "other"


def test_without_lists_of_ids_any_id_is_right(tmp_path: Path) -> None:
    assert load(write(tmp_path, GOOD.replace("opencode/load", "some/probe"))).upstreams[0].probes[0] == "some/probe"


def test_a_byte_order_mark_windows_line_ends_and_comments_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_bytes(b"\xef\xbb\xbf# ours\n" + GOOD.encode())
    first = load(path)
    path.write_bytes(GOOD.replace("\n", "\r\n").encode())
    assert load(path).model_dump() == first.model_dump()


def test_the_line_of_everything_relied_on_is_known(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(
        "version: 1\nproject: {name: x}\nupstreams:\n  - id: up\n    packages: [a]\n    git: {url: ./r}\n"
        "    watch:\n      - {path: src/**, breaks: all}\n    relies_on:\n      - tag:a#latest\n"
        "      - address: manifest:a#engines\n        why: we run there\n"
    )
    watchlist = load(path)
    assert watchlist.line("up", "tag:a#latest") == "watchlist.yaml:10"
    assert watchlist.line("up", "manifest:a#engines") == "watchlist.yaml:11"
    assert watchlist.line("up", "file:src/**") == "watchlist.yaml:8"
    assert watchlist.line("up", "tag:a#next") == ""


def test_aliases_are_read(tmp_path: Path) -> None:
    text = GOOD.replace("[LANG]", "&names [LANG]").replace("command: [bun, run, src/index.ts]", 'command: [a, "b"]')
    text = text.replace('source: [src, "extra/**/*.ts"]', "source: &own [src]").replace(
        "environment: &names [LANG]", "environment: []"
    )
    text += "  - {rule: tag-moved, address: &where 'tag:x#y', reason: seen, expires: 2027-01-31}\n"
    text += "  - {rule: tag-moved, address: *where, reason: seen, expires: 2027-01-31}\n"
    assert load(write(tmp_path, text)).waivers[-1].address == "tag:x#y"


@pytest.mark.parametrize(
    ("url", "location"),
    [
        ("https://example.org/a/b.git", "https://example.org/a/b.git"),
        ("git@example.org:a/b", "git@example.org:a/b"),
        ("file:///srv/a", "file:///srv/a"),
        ("/srv/a", "/srv/a"),
        ("../a", "/root/watch/../a"),
        ("./a:b", "/root/watch/a:b"),
        ("mirror", "/root/watch/mirror"),
    ],
)
def test_where_git_finds_the_repository(url: str, location: str) -> None:
    assert GitRepository(url=url).location(Path("/root/watch")) == location


def test_problems_have_places_messages_and_an_exit_code(tmp_path: Path) -> None:
    path = write(tmp_path, GOOD.replace("role: implementer", "role: implementor").replace("id: opencode", "id: Open Code"))
    with pytest.raises(ConfigError) as caught:
        load(path)
    first, second, third = caught.value.problems
    assert (first.line, first.column, first.file) == (4, 9, str(path))
    assert str(first).endswith("but must be implementer or consumer (did you mean 'implementer'?)")
    assert (second.line, third.line) == (8, 33)  # the third: the waiver names an upstream that is not there any more
    assert caught.value.exit_code == 2


def test_types_can_be_made_without_a_file() -> None:
    watchlist = Watchlist.model_validate({"project": {"name": "x"}, "upstreams": [{"id": "a", "packages": ["a"]}]})
    assert watchlist.at(Path("/w/watchlist.yaml")).root == Path("/w")
    assert watchlist.schema_version == 1
