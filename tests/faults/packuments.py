"""The registry answers, and what it says about the package is odd, wrong or hostile."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.faults.bench import NEW, OLD, PATH, Answer, Bench, Case
from tests.support.fault_registry import Reply

RISKY = "run --format json --fail-on risky"
LOOK = "driftwatch doctor"
DEEP = json.loads('{"a":' * 500 + "1" + "}" * 500)
EVIL = "\x1b]0;owned\x07\x1b[2J<script>alert(1)</script>\u202egnp.exe\x00\r\n::error::![x](http://evil.example/x.png)"


def changed(**changes: Any) -> Callable[[Bench], None]:
    """The packument with these keys changed; ``...`` takes one away. ``_`` in a key stands for ``-``."""

    def fault(made: Bench) -> None:
        for key, value in changes.items():
            name = key.replace("_", "-")
            made.document.pop(name) if value is ... else made.document.__setitem__(name, value)

    return fault


def said(body: bytes) -> Callable[[Bench], None]:
    return lambda made: made.registry.always(PATH, Reply(body=body))


def rewritten(old: str, new: str) -> Callable[[Bench], None]:
    """The packument's very text changed."""
    return lambda made: said(json.dumps(made.document).replace(old, new).encode())(made)


def newest(**changes: Any) -> Callable[[Bench], None]:
    return lambda made: made.newest.update(changes)


def version(name: str, **changes: Any) -> Callable[[Bench], None]:
    """One more version, as the newest is but for its name and these changes."""
    return lambda made: made.document["versions"].__setitem__(name, {**made.newest, "version": name, **changes})


def tag(name: str, value: Any) -> Callable[[Bench], None]:
    return lambda made: made.document["dist-tags"].__setitem__(name, value)


def withdrawn(name: str) -> Callable[[Bench], None]:
    return lambda made: made.document["versions"].pop(name)


def republished(made: Bench) -> None:
    made.document["versions"][OLD]["dist"]["integrity"] = "sha512-" + "A" * 86 + "=="


def moved_back(made: Bench) -> None:
    """A tag that is relied on points at an older version than was accepted."""
    made.edit("relies_on:\n", "relies_on:\n      - tag:@acme/plugin#latest\n")
    made.publish("0.9.0")
    tag("latest", "0.9.0")(made)


def many(made: Bench) -> None:
    for number in range(5000):
        version(f"0.{number}.0")(made)


def all_there(_: Bench, answer: Answer) -> None:
    assert [row["change"] for row in answer.report["upstreams"][0]["tags"]] == ["same"]


CASES = [
    Case("no dist-tags", changed(dist_tags=...), "dist-tags is missing", LOOK),
    Case("dist-tags are a list", changed(dist_tags=["1.1.0"]), "dist-tags is a list, not an object", LOOK),
    Case("no versions", changed(versions=...), "versions is missing", LOOK),
    Case("versions are a list", changed(versions=[NEW]), "versions is a list, not an object", LOOK),
    Case("unpublished as a whole", changed(versions=..., time={"unpublished": {"time": "2026"}}), "was unpublished", LOOK),
    Case("no time", changed(time=...), exit=0),
    Case("a list", said(b"[]"), "is not an object", LOOK),
    Case("null", said(b"null"), "is not an object", LOOK),
    Case("an error with status 200", said(b'{"error": "not_found"}'), "does not describe a package", LOOK),
    Case("another package's", changed(name="left-pad"), "answers for another package: 'left-pad'", LOOK),
    Case("a name that is a number", changed(name=7), "answers for another package: 7", LOOK),
    Case("cut in the middle", lambda b: said(json.dumps(b.document).encode()[:-40])(b), "cut short: not whole JSON", LOOK),
    Case("nested without end", said(b'{"name":' + b"[" * 100_000), "not JSON|cut short", LOOK),
    Case("not a number", rewritten('">=20"', "NaN"), "is not JSON", LOOK),
    Case("lone surrogate", rewritten(">=20", "\\ud800"), "is not JSON", LOOK),
    Case("not UTF-8", lambda b: said(json.dumps(b.document).encode().replace(b">=20", b"\xff"))(b), "is not JSON", LOOK),
    Case("latest is a number", tag("latest", 2), "the tag's version is a number", LOOK),
    Case("latest points nowhere", tag("latest", "9.9.9"), "points at 9.9.9, which is not published", "--to"),
    Case("latest is gone", changed(dist_tags={}), "no dist-tag 'latest' .* could be read", "driftwatch poll"),
    Case("latest is gone, by poll", changed(dist_tags={}), "no dist-tag 'latest' .* could be read", run="poll --format json"),
    Case("latest moved back", moved_back, "moved back from 1.1.0 to 0.9.0", "Find out why", 10, outcome="drifted", run=RISKY),
    Case("a tag that is an option", tag("--help", NEW), "tag-added", exit=0),
    Case("a tag called __proto__", tag("__proto__", NEW), exit=0),
    Case("a tag called constructor", tag("constructor", NEW), exit=0),
    Case("a hostile tag", tag(EVIL, NEW), "the tag's name is not usable", LOOK),
    Case("a hostile version behind a tag", tag("next", EVIL), "tag's version", LOOK),
    Case("an endless tag", tag("x" * 10_000, NEW), "the tag's name is not usable", LOOK),
    Case("a version that is none", version("newest-and-greatest"), "the version is not semantic", LOOK),
    Case("a version called __proto__", version("__proto__"), "the version is not semantic", LOOK),
    Case("a hostile version", version(EVIL), "the version is not semantic", LOOK),
    Case("the newest version's manifest is a text", lambda b: b.document["versions"].update({NEW: "x"}), "is a text", LOOK),
    Case("the newest version's manifest is another's", newest(version="7.0.0"), "names another one", LOOK),
    Case("dist is a number", newest(dist=7), "dist is a number", LOOK),
    Case("the accepted version withdrawn", withdrawn(OLD), "not published", "accept a published version", exit=11),
    Case("the accepted version published anew", republished, "integrity", exit=10),
    Case("the newest version withdrawn, its tag left", withdrawn(NEW), "points at 1.1.0, which is not published", "--to"),
    Case("the same, by poll", withdrawn(NEW), "points at 1.1.0, which is not", "--to", run="poll --format json"),
    Case("engines is a text", newest(engines=">=20"), "engines", exit=11),
    Case("engines is a number", newest(engines={"node": 20}), "engines.node", exit=11),
    Case("engines is hostile", newest(engines={"node": EVIL}), "engines", exit=11),
    Case("exports nested without end", newest(exports=DEEP), exit=0),
    Case("deprecated with hostile words", newest(deprecated=EVIL), "deprecated", exit=0),
    Case("deprecated with a number", newest(deprecated=7), "deprecated", exit=0),
    Case("5,000 versions", many, exit=0, then=all_there),
]
