"""Changes put into lines of TypeScript, and what the compiler's answers make of them."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from driftwatch.model import Address, Change, Fact
from driftwatch.observe.typescript.witness import Refusal, program, settle
from driftwatch.observe.typescript.witness.expressions import PRELUDE, Inexpressible, Naming, Step, split, walk
from driftwatch.observe.typescript.witness.lines import Line, lines
from tests.support import declared

module = import_module("driftwatch.observe.typescript.witness")
run = import_module("driftwatch.observe.typescript.witness.program")  # its package has a function of that name
START = PRELUDE.count("\n") + 1


def naming(side: str, **definitions: Any) -> Naming:
    rows = {f"case#{name}": row for name, row in definitions.items()}
    return Naming(side, "case", rows, {"case": side}, frozenset({"case"}))


HOOKS = {"kind": ["interface"], "type": {"obj": {}}}
BOX = {"kind": ["interface"], "type": {"obj": {}}, "tp": [{"n": "0.0"}]}
SEND = {"kind": ["function"], "value": {"obj": {}}}
OLD, NEW = (naming(side, Hooks=HOOKS, Box=BOX, send=SEND) for side in ("old", "new"))


def change(kind: str, member: str, **more: Any) -> Change:
    return Change(Address(f"ts:case#{member}"), kind, confidence="likely", **more)


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        (".a", [Step("name", "a")]),
        ('["tool.execute.before"](1).args', [Step("name", "tool.execute.before"), Step("arg", "1"), Step("name", "args")]),
        (".list()[]", [Step("name", "list"), Step("back"), Step("item")]),
        ("(type=text).value", [Step("tag", "type=text"), Step("name", "value")]),
        ("[string]", [Step("index", "string")]),
        (".new(0)", [Step("new"), Step("arg", "0")]),
        (".newer", [Step("name", "newer")]),
    ],
)
def test_addresses_are_taken_apart(path: str, steps: list[Step]) -> None:
    assert split(path) == steps


def test_another_name_of_what_stands_elsewhere_is_a_name_too() -> None:
    box = {**BOX, "kind": ["interface"], "hid": 1}

    def facts(target: str) -> dict[Address, Fact]:
        rows: dict[str, Any] = {"ts:case": {"entry": "."}, f"ts:{target}": box, "ts:case#Box": {"reexport": target}}
        return {Address(name): Fact(Address(name), value) for name, value in rows.items()}

    sides = [
        module.naming(side, "case", facts(target), {"case": side})
        for side, target in (("old", "case/a#Box"), ("new", "case/b#Box"))
    ]
    (line, *_) = lines(0, change("type-param-constrained", "Box", args={"number": 0}), *sides)
    assert (line.old, line.new) == ('export type W§ = import("old").Box<any>;', 'export type W§ = import("new").Box<any>;')


def test_a_change_at_a_name_only_one_side_has_is_not_put_into_lines() -> None:
    without = naming("new", Hooks=HOOKS)
    assert lines(0, change("type-param-constrained", "Box", args={"number": 0}), OLD, without) == []


def test_what_is_no_path_cannot_be_written() -> None:
    with pytest.raises(Inexpressible):
        split(" x")


def test_a_path_becomes_a_type() -> None:
    text = walk('import("old").Hooks', split('["a.b"](1).args[]'))
    assert text == 'Item<Key<Arg<Key<import("old").Hooks, "a.b">, 1>, "args">>'
    assert walk("X", split(".data(type=text)")) == 'Only<Key<X, "data">, { "type": "text" }>'
    assert walk("X", split('["400"]')) == "Key<X, 400>"


def test_generic_names_are_filled_and_values_are_taken_as_such() -> None:
    (line,) = lines(0, change("removed", "Box.a"), OLD, NEW)
    assert 'import("old").Box<any>' in line.old
    assert 'import("new").Box<any>' in line.new
    assert all("typeof import" in line.new for line in lines(0, change("param-narrowed", "send(0)"), OLD, NEW))


@pytest.mark.parametrize("kind", ["deprecated", "interface-became-alias", "something-else"])
def test_some_changes_cannot_be_proven(kind: str) -> None:
    assert lines(0, change(kind, "Hooks.a"), OLD, NEW) == []


def test_what_is_not_named_on_one_side_cannot_be_proven() -> None:
    assert lines(0, change("widened", "Elsewhere.a"), OLD, NEW) == []


def refuse(*numbers: int, text: str = "Type 'a' is not assignable") -> dict[int, Refusal]:
    return {START + number: Refusal("TS2322", text) for number in numbers}


def settled(kind: str, refusals: dict[int, Refusal], *uses: str) -> Change:
    found = [Line(0, use, f"old {use} §", f"new {use} §") for use in uses or ("read", "write")]
    return settle([change(kind, "Hooks.a")], found, refusals)[0]


def test_a_line_that_only_one_side_refuses_proves() -> None:
    proven = settled("widened", refuse(1))
    assert (proven.confidence, proven.kind) == ("proven", "widened")
    assert proven.args["witness_role"] == "consumer"
    witness = str(proven.args["witness"])
    assert "old read 0a // compiles" in witness
    assert "TS2322" in witness


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("""Namespace '"/tmp/x-1/node_modules/new/tui"' has no exported member 'A'.""", """Namespace '"new/tui"' has no"""),
        ("""Type 'import("/a/node_modules/b/node_modules/@new/c").A' is no""", """Type 'import("@new/c").A' is no"""),
        ("""Type 'C | import("/a/b/stor...' is not""", """Type 'C | import("...' is not"""),
        ("""Type 'C | import("/a/node_modules/c/d...' is not""", """Type 'C | import("c/d...' is not"""),
        ("""module 'c'. '/a/node_modules/c/i.js' implicitly""", """module 'c'. 'c/i.js' implicitly"""),
    ],
)
def test_a_witness_names_no_folder_of_this_machine(said: str, shown: str) -> None:
    refusal = {number: Refusal("TS2694", said) for number in refuse(1)}
    witness = str(settled("widened", refusal, "read").args["witness"])
    assert shown in witness
    assert "/node_modules/" not in witness


def test_lines_that_both_sides_refuse_or_take_prove_nothing() -> None:
    assert settled("removed", refuse(0, 1), "read").confidence == "likely"
    assert settled("removed", {}, "read").confidence == "likely"


def test_two_installs_of_one_class_prove_nothing() -> None:
    text = "Type 'C' is not assignable\n  Types have separate declarations of a private property 'key'."
    assert settled("type-changed", refuse(1, 3, text=text)).confidence == "likely"


@pytest.mark.parametrize(
    ("refused", "kind"), [((1, 3), "type-changed"), ((1,), "widened"), ((3,), "narrowed"), ((), "respelled")]
)
def test_the_compiler_settles_which_way_a_type_moved(refused: tuple[int, ...], kind: str) -> None:
    assert settled("type-changed", refuse(*refused)).kind == kind


def test_what_depends_on_open_type_parameters_is_not_cleared_by_lines_that_fill_in_any() -> None:
    before, after = "T0_0 extends any[] ? 1 : 2", "T0_0 extends readonly any[] ? 1 : 2"
    change = Change(Address("ts:p#Draft"), "type-changed", before, after)
    line = Line(0, "read", "a", "b")
    assert settle([change], [line], {})[0].kind == "type-changed"


def test_what_the_structure_knows_is_not_called_respelled() -> None:
    assert settled("widened", {}).kind == "widened"


def test_lines_and_text_lines_go_together() -> None:
    changes = [change("removed", "Hooks.a"), change("widened", "Hooks.b")]
    text, found = program(changes, OLD, NEW)
    rows = text.splitlines()
    for number, line in enumerate(found):
        assert rows[START - 1 + 2 * number] == line.old.replace("§", f"{number}o")
        assert rows[START + 2 * number] == line.new.replace("§", f"{number}n")
    assert [line.order for line in found] == [0, 1, 1]


def test_most_cases_can_be_put_into_lines() -> None:
    silent = {"deprecated", "undeprecated", "interface-became-alias", "alias-became-interface"}
    for case in declared.cases():
        both = declared.kept(case)
        sides = []
        for side in ("old", "new"):
            rows = {row["id"]: row for row in both[side]["definitions"]}
            entries = frozenset(f"case{entry}" for entry in both[side]["entries"])
            sides.append(Naming(side, "case", rows, {"case": side}, entries))
        for number, one in enumerate(declared.changes(both["old"], both["new"])):
            made = lines(number, one, *sides)
            assert bool(made) == (one.kind not in silent), (case, one)
            assert all(("§" in line.old) and ("§" in line.new) for line in made), case


def test_a_witness_is_whole_and_no_longer_than_it_must_be() -> None:
    found = [Line(0, "read", 'export type W§ = Arg<import("old").F, 0>;', 'export type W§ = Arg<import("new").F, 0>;')]
    witness = str(settle([change("removed", "Hooks.a")], found, refuse(1))[0].args["witness"])
    assert [row.partition("<")[0] for row in witness.splitlines()[:-2]] == ["type N", "type Args", "type Arg"]
    names = [row.split()[2] for row in witness.splitlines()[-2:]]
    assert len(set(names)) == 2, "both lines can stand in one file"


def test_what_a_module_is_assigned_to_is_the_module() -> None:
    side = Naming("old", "case", {"case#export=": SEND, "case#export=.Inner": HOOKS}, {"case": "old"}, frozenset({"case"}))
    assert side.symbol("case#export=") == 'typeof import("old")'
    assert side.symbol("case#export=.Inner") == 'import("old").Inner'


@pytest.mark.parametrize("name", ["a-b", "Error~3", "x[y]", "", "1a"])
def test_what_is_no_name_cannot_be_written(name: str) -> None:
    with pytest.raises(Inexpressible):
        naming("old").bare(f"case#{name}")


def test_a_line_that_is_no_typescript_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = iter(["w.ts(2,1): error TS1109: Expression expected.\n", "w.ts(3,1): error TS2322: No.\n"])
    monkeypatch.setattr(run, "_run", lambda compiler, home, seconds: next(said))
    refusals = run.check("a\nb\nc\n", {}, (), tmp_path)
    assert {line: one.code for line, one in refusals.items()} == {2: "TS1109", 3: "TS2322"}


def test_lines_that_cost_too_much_prove_nothing_and_the_others_are_proven(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[list[str]] = []

    def said(compiler: Path, home: Path, seconds: float) -> str:
        lines = (home / "w.ts").read_text("utf-8").split("\n")
        seen.append(lines)
        if any("endless" in line for line in lines):
            raise run.Costly("too much")
        return "".join(f"w.ts({n},1): error TS2322: No.\n" for n, line in enumerate(lines, 1) if line.startswith("wrong"))

    monkeypatch.setattr(run, "_run", said)
    monkeypatch.setattr(run, "PARTS", 2)
    text = "prelude\nright 0\nwrong 0\nright 1\nendless\nright 2\nwrong 2\n"
    refusals = run.check(text, {}, (), tmp_path, first=2)
    assert {line: one.code for line, one in refusals.items()} == {3: "TS2322", 7: "TS2322", 4: "", 5: ""}
    assert seen[1] == ["prelude", "right 0", "wrong 0", "", "", "right 2", "wrong 2", ""]
    (proven, unknown, _) = settle(
        [change("type-changed", "Hooks.x")] * 3,
        [Line(number, "read", "a", "b") for number in range(3)],
        {line + START - 2: one for line, one in refusals.items()},
    )
    assert (proven.confidence, unknown.confidence, unknown.kind) == ("proven", "likely", "type-changed")


@pytest.mark.skipif(sys.platform != "linux", reason="the system tells it in /proc")
def test_what_a_compiler_takes_is_bounded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    compiler = tmp_path / "tsc"
    compiler.write_text("#!/bin/sh\nwhile :; do :; done\n", "utf-8")
    compiler.chmod(0o755)
    with pytest.raises(run.Costly, match="processor time"):
        run._run(compiler, tmp_path, 0.1)
    monkeypatch.setattr(run, "MEMORY", 1)
    with pytest.raises(run.Costly, match="MB"):
        run._run(compiler, tmp_path, 60.0)
