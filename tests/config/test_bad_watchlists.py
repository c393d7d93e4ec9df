"""Every way a watchlist was found to be wrong: refused, at the line, in words that help. Nothing is half-read."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from driftwatch.config import load
from driftwatch.config.loading import MAX_PROBLEMS
from driftwatch.errors import ConfigError, Problem

BASE = """\
version: 1
project:
  name: mine
upstreams:
  - id: up
    packages: [pkg, "@s/other"]
    git:
      url: https://example.org/up
    host:
      driver: opencode
    watch:
      - path: src/**
        breaks: everything
    probes: [opencode/load]
    relies_on:
      - ts:pkg#Hooks
waivers:
  - rule: tag-moved
    address: tag:pkg#next
    reason: seen
    expires: 2027-01-31
"""

RULES, PROBES, DRIVERS = {"tag-moved", "tag-removed"}, {"opencode/load", "opencode/dispose"}, {"opencode"}


def problems(path: Path) -> tuple[Problem, ...]:
    with pytest.raises(ConfigError) as caught:
        load(path, rules=RULES, probes=PROBES, drivers=DRIVERS)
    assert all(problem.file == str(path) for problem in caught.value.problems)
    return caught.value.problems


# (what is replaced in BASE, by what, the line of the problem, words of the problem)
EDITS = [
    # known failures
    *(
        ("    probes: [opencode/load]", f"    probes: [opencode/load]\n    expected:\n      - {{{entry}}}", 16, words)
        for entry, words in (
            ("probe: opencode/dispose, versions: '*', reason: x, expires: 2027-01-31", "not one of this upstream's probes"),
            ("probe: opencode/load, versions: new ones, reason: x, expires: 2027-01-31", "is not a range of versions"),
            ("probe: opencode/load, versions: '<2', reason: x, expires: soon", "expires"),
            ("probe: opencode/load, versions: '<2', expires: 2027-01-31", "reason"),
        )
    ),
    # the file's own shape
    ("version: 1", "version: 2", 1, "reads version 1"),
    ("version: 1", "version: true", 1, "version True is not known"),
    ("version: 1", 'version: "1"', 1, "write `version: 1`"),
    ("version: 1", "<<<<<<< HEAD\nversion: 1", 1, "merge conflict"),
    ("version: 1", "---\nversion: 1\n---\na: 1", 3, "second document"),
    ("version: 1", "version: 1\nversion: 1", 2, "key 'version' is there twice: first on line 1"),
    ("  name: mine", "  name: mine\n  name: yours", 4, "twice: first on line 3"),
    ("  name: mine", "\tname: mine", 3, "indented with a tab"),
    ("  name: mine", "  name: mine: yours", 3, "put text that holds ': ' in quotes"),
    ("  name: mine", "  name: @mine", 3, "in quotes"),
    ("  name: mine", "  name: [mine", 4, "not YAML"),
    ("    reason: seen", '    reason: "seen', 20, "found unexpected end of stream"),
    ("  name: mine", "  name: mine\n wrong: 1", 4, "not YAML"),
    ("  name: mine", "  name: a\x07b", 3, "U+0007"),
    (
        "  name: mine",
        "  name: !!python/object/apply:os.system [id]",
        3,
        "the tag 'tag:yaml.org,2002:python/object/apply:os.system'",
    ),
    ("  name: mine", "  name: !secret x", 3, "the tag '!secret'"),
    ("  name: mine", "  name: *nobody", 3, "stands for nothing"),
    ("  name: mine", "  name: &me [*me]", 3, "stands for nothing complete"),
    ("  name: mine", "  <<: {a: 1}\n  name: mine", 3, "merge keys"),
    ("  name: mine", "  ? [a, b]\n  : 1\n  name: mine", 3, "a key must be plain text"),
    ("  name: mine", "  name: " + "[" * 100 + "]" * 100, 3, "nested more than"),
    # keys
    ("project:", "projct:", 2, "did you mean 'project'?"),
    ("  name: mine", "  name: mine\n  rol: consumer", 4, "unknown key 'rol' in project (did you mean 'role'?)"),
    ("    git:\n      url", "    git:\n      uri", 8, "did you mean 'url'?"),
    ("        breaks: everything", "        brakes: everything", 13, "unknown key 'brakes' in upstreams[0].watch[0]"),
    ("        breaks: everything\n", "", 12, "upstreams[0].watch[0] has no `breaks` (What breaks for you if it changes)"),
    ("    relies_on:", "    relies-on:", 15, "did you mean 'relies_on'?"),
    ("waivers:", "    waivers:", 17, "it belongs to the top of the file"),
    ("    reason: seen\n", "", 18, "waivers[0] has no `reason`"),
    ("    expires: 2027-01-31\n", "", 18, "waivers[0] has no `expires`"),
    # kinds of values
    ("  name: mine", "  name: 1.10", 3, 'reads 1.10 as a number (quote it: "1.10")'),
    ("  name: mine", "  name: on", 3, 'reads on as yes/no (quote it: "on")'),
    ("  name: mine", "  name: 2027-01-31", 3, "as a date (quote it"),
    ("  name: mine", "  name:", 3, "project.name has no value"),
    ("  name: mine", "  name: '  '", 3, "is empty"),
    ("  name: mine", "  name: mine\n  role: user", 4, "must be implementer or consumer"),
    ("project:\n  name: mine", "project: mine", 2, "must be a mapping, not text (its keys are name, role"),
    ("  name: mine", "  name: mine\n  source: src", 4, 'write it as a list: ["src"]'),
    ("  name: mine", "  name: mine\n  source: [/src]", 4, "must be relative"),
    ("  name: mine", "  name: mine\nreports: ''", 4, "reports is empty"),
    ("  name: mine", "  name: mine\nregistry: ftp://x", 4, "not an http(s) address"),
    ("  name: mine", "  name: mine\nregistry: https://me:secret@x/", 4, "belong in .npmrc"),
    ("    packages: [pkg", "    packages: [1.5, pkg", 6, "upstreams[0].packages[0] must be text"),
    ('    packages: [pkg, "@s/other"]', "    packages: []", 6, "must have at least one entry"),
    ("    packages: [pkg", "    packages: [pkg@1.2.3, pkg", 6, "is not an npm package name"),
    ("    packages: [pkg", "    packages: [../../etc, pkg", 6, "is not an npm package name"),
    ("    packages: [pkg", "    packages: [pkg, pkg", 6, "'pkg' is there twice: also packages[0]"),
    ("  - id: up", "  - id: up\n    accepted: 1.10", 6, "quote it"),
    ("  - id: up", '  - id: up\n    accepted: "^1.2"', 6, "not one full version"),
    ("  - id: up", "  - id: up\n    tag: 1.2.3", 6, "is a version, not a dist-tag"),
    ("  - id: up", "  - id: ../up", 5, "is not an id"),
    ("  - id: up\n", "  - id: up\n    packages: [pkg]\n  - id: up\n", 7, "upstream id 'up' is there twice: also upstreams[0]"),
    # what reaches git and the host
    ("https://example.org/up", "--upload-pack=touch x", 8, "read it as an option"),
    ("https://example.org/up", '"ext::sh -c touch x"', 8, "transport helper"),
    ("https://example.org/up", "fd::17/x", 8, "transport helper"),
    ("https://example.org/up", "ssh://-oProxyCommand=x/y", 8, "ssh would read it as an option"),
    ("https://example.org/up", "-oProxyCommand=x:y", 8, "read it as an option"),
    ("https://example.org/up", "javascript://x/y", 8, "is not used: only https"),
    ("https://example.org/up", "https://me:secret@example.org/up", 8, "credential helper"),
    ("https://example.org/up", "https:///up", 8, "no host"),
    ("https://example.org/up", '"https://example.org/\\nup"', 8, "control characters"),
    ("https://example.org/up", "x\n      tags: release", 9, "{version} exactly once"),
    ("https://example.org/up", 'x\n      tags: "v {version}"', 9, "not a name git takes"),
    ("src/**", "/src", 12, "without a leading /"),
    ("src/**", "../src", 12, "leaves the repository"),
    ("src/**", '":(exclude)src"', 12, "pathspec magic"),
    ("src/**", "src/{a,b}.ts", 12, "does not expand"),
    (
        "        breaks: everything",
        "        breaks: everything\n      - path: src/**\n        breaks: x",
        14,
        "'src/**' is there twice",
    ),
    ("      - path: src/**\n        breaks: everything", "      - src/**", 12, "must be a mapping, not text"),
    ("      driver: opencode", "      driver: opencod", 10, "did you mean 'opencode'?"),
    ("      driver: opencode", "      driver: opencode\n      environment: [KEY=1]", 11, "only the name of the variable"),
    ("      driver: opencode", "      driver: opencode\n      executable: a\n      command: [b]", 12, "not both"),
    ("      driver: opencode", "      driver: opencode\n      directory: a", 11, "there is no command"),
    ("    host:\n      driver: opencode\n", "", 12, "this upstream has none"),
    ("[opencode/load]", "[opencode/laod]", 14, "did you mean 'opencode/load'?"),
    ("[opencode/load]", "[load]", 14, "is not a probe"),
    ("[opencode/load]", "[./../x]", 14, "leaves the project's folder"),
    # addresses, rules, dates
    ("ts:pkg#Hooks", "tss:pkg#Hooks", 16, "did you mean 'ts'?"),
    ("ts:pkg#Hooks", "Hooks", 16, "has no kind"),
    ("ts:pkg#Hooks", '"ts:@s/othr#Hooks"', 16, "not one of this upstream's packages (did you mean '@s/other'?)"),
    ("ts:pkg#Hooks", '"pin:@s/othr"', 16, "not one of this upstream's packages (did you mean '@s/other'?)"),
    ("ts:pkg#Hooks", "ts:pkg#Hooks\n      - ts:pkg#Hooks", 17, "there twice"),
    ("ts:pkg#Hooks", "{addres: 'ts:pkg#Hooks'}", 16, "did you mean 'address'?"),
    ("ts:pkg#Hooks", "[ts:pkg#Hooks]", 16, "must be a mapping, not a list"),
    ("ts:pkg#Hooks", "{address: 'ts:pkg#H', role: reader}", 16, "must be implementer or consumer"),
    ("tag-moved", "tag-movd", 18, "did you mean 'tag-moved'?"),
    ("tag:pkg#next", "tag:pkg#", 19, "nothing stands after the #"),
    ("2027-01-31", "2027-02-30", 21, "a day that does not exist"),
    ("2027-01-31", "2027-01-31T10:00:00", 21, "not a date, such as"),
    ("2027-01-31", "31.01.2027", 21, "not a date, such as"),
    ("2027-01-31", "20270131", 21, "not a date, such as"),
    ("    reason: seen", "    reason: ''", 20, "is empty"),
    ("    reason: seen", "    reason: seen\n    upstream: upp", 21, "there is no upstream 'upp' (did you mean 'up'?)"),
    (
        "waivers:",
        "severity:\n  - {rule: tag-moved, severity: warning, reason: x}\nwaivers:",
        18,
        "must be breaking or risky or info or ignore",
    ),
    ("waivers:", "severity:\n  - {rule: tag-moved, severity: riksy, reason: x}\nwaivers:", 18, "did you mean 'risky'?"),
]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"), EDITS, ids=[f"{index}-{edit[3][:40]}" for index, edit in enumerate(EDITS)]
)
def test_one_edit(old: str, new: str, line: int, words: str, tmp_path: Path) -> None:
    assert BASE.count(old) >= 1
    path = tmp_path / "watchlist.yaml"
    path.write_text(BASE.replace(old, new, 1), "utf-8")
    found = [str(problem).removeprefix(str(path)) for problem in problems(path)]
    assert any(text.startswith(f":{line}:") and words in text for text in found), found


def test_the_base_itself_is_right(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(BASE, "utf-8")
    assert load(path, rules=RULES, probes=PROBES, drivers=DRIVERS).upstreams[0].id == "up"


WHOLE = [
    ("nothing", b"", "the file is empty"),
    ("comments-only", b"# nothing yet\n", "the file is empty"),
    ("a-list", b"- a\n- b\n", "is a list, not a mapping"),
    ("text", b"hello\n", "is text, not a mapping"),
    ("utf-16", "version: 1\n".encode("utf-16"), "not UTF-8"),
    ("latin-1", b"version: 1\nproject: {name: caf\xe9}\n", "not UTF-8"),
    ("binary", b"\x7fELF\x02\x01\x01\x00", "U+"),
    ("too-large", b"# " + b"x" * (1024 * 1024), "larger than 1024 KiB"),
    ("deep", b"[" * 200_000, "nested more than"),
    ("json-with-tabs", b'{"version": 1,\n\t"project": 3}', "indented with a tab"),
    (
        "alias-bomb",
        b"a: &a [x,x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n" % ((98 + i, 98 + i) + (97 + i,) * 8) for i in range(12)),
        "more than 50000 values",
    ),
]


@pytest.mark.parametrize(("raw", "words"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE])
def test_whole_files(raw: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_bytes(raw)
    assert any(words in str(problem) for problem in problems(path))


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    assert "`driftwatch init` proposes one" in str(problems(tmp_path / "watchlist.yaml")[0])


def test_a_folder_is_not_a_watchlist(tmp_path: Path) -> None:
    assert "is a folder" in str(problems(tmp_path)[0])


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    assert "not a regular file" in str(problems(path)[0])


def test_an_unreadable_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(BASE)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "cannot be read: Permission denied" in str(problems(path)[0])


@pytest.mark.slow
def test_a_problem_does_not_quote_a_megabyte(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(BASE.replace("tag-moved", "x" * 1_000_000))
    assert len(str(problems(path)[0])) < 1500


def test_a_link_that_leads_round_in_circles(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.symlink_to(path)
    assert "cannot be read" in str(problems(path)[0])


def test_all_problems_come_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = BASE
    for old, new in [
        ("  name: mine", "  name: on"),
        ("src/**", "/src"),
        ("tag-moved", "tag-movd"),
        ("[opencode/load]", "[opencode/x]"),
    ]:
        text = text.replace(old, new)
    path = tmp_path / "watchlist.yaml"
    path.write_text(text.replace("    host:\n      driver: opencode\n", ""))
    assert [problem.line for problem in problems(path)] == [3, 10, 12, 12, 16]


@pytest.mark.slow
def test_a_file_with_thousands_of_problems_shows_the_first_hundred(tmp_path: Path) -> None:
    path = tmp_path / "watchlist.yaml"
    path.write_text(BASE + "".join(f"key{number}: 1\n" for number in range(3000)))
    found = problems(path)
    assert len(found) == MAX_PROBLEMS + 1
    assert "and 2900 more problems" in str(found[-1])
