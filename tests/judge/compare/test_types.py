"""Declared types compared: what the parts say on their own, and what must hold for every pair."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftwatch.judge.compare import types
from driftwatch.judge.compare.types.components import components
from driftwatch.judge.compare.types.differ import Differ
from driftwatch.judge.compare.types.graph import parent, side
from driftwatch.judge.compare.types.memo import Memo
from driftwatch.judge.compare.types.relation import Fits
from driftwatch.judge.compare.types.sameness import Same
from driftwatch.judge.compare.types.shapes import substitute
from driftwatch.judge.compare.types.text import show
from driftwatch.judge.compare.types.walk import MAX_BEHIND
from driftwatch.model import Address, Change, Fact


def obj(**props: Any) -> dict[str, Any]:
    rows = [
        {"n": name.rstrip("_"), "t": kind, **({"o": 1} if name.endswith("_") else {})} for name, kind in sorted(props.items())
    ]
    return {"obj": {"props": rows}}


def lit(value: Any) -> dict[str, Any]:
    return {"lit": value}


def union(*members: Any) -> dict[str, Any]:
    return {"union": list(members)}


def facts(*, package: str = "p", **kinds: Any) -> dict[Address, Fact]:
    """A package that exports an alias for each type."""
    rows = [Fact(Address(f"ts:{package}"), {"entry": "."})]
    rows += [Fact(Address(f"ts:{package}#{name}"), {"kind": ["alias"], "type": kind, "api": 1}) for name, kind in kinds.items()]
    return {fact.address: fact for fact in rows}


def changed(old: Any, new: Any) -> list[tuple[str, str]]:
    return sorted((change.kind, str(change.address)[5:]) for change in types.compare(facts(A=old), facts(A=new)))


# --- direction


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("string", union("string", "null"), "widened"),
        (union("string", "null"), "string", "narrowed"),
        (union(lit("a"), lit("b")), "string", "widened"),
        ("string", lit("a"), "narrowed"),
        ("string", "number", "type-changed"),
        (lit("a"), lit("b"), "type-changed"),
        (union(lit("a"), lit("b")), union(lit("a"), lit("b"), lit("c")), "union-member-added"),
        (union(lit("a"), lit("b"), lit("c")), union(lit("a"), lit("b")), "union-member-removed"),
        ("number", union("number", lit(False)), "widened"),
        (union(lit(True), "number"), union("boolean", "number"), "widened"),
        ("string", "any", "became-any"),
        ("any", "string", "type-changed"),
        ("string", "unknown", "widened"),
        ({"ref": "@lib#Promise", "args": ["string"]}, {"ref": "@lib#Promise", "args": [union("string", "null")]}, "widened"),
        ({"ref": "@lib#Map", "args": ["string", "string"]}, {"ref": "@lib#Map", "args": ["string", "number"]}, "type-changed"),
    ],
)
def test_which_way_a_type_moved(old: Any, new: Any, kind: str) -> None:
    assert changed(old, new) == [(kind, "A")]


def test_an_array_is_looked_into() -> None:
    def array(kind: Any) -> Any:
        return {"ref": "@lib#Array", "args": [kind]}

    assert changed(obj(a=array("string")), obj(a=array("number"))) == [("type-changed", "A.a[]")]


def test_an_optional_neighbour_masks_nothing() -> None:
    assert changed(obj(a="string"), obj(a="string", b_="string", c="string")) == [
        ("added-optional", "A.b"),
        ("added-required", "A.c"),
    ]


def test_members_of_unions_are_told_apart_by_their_literals() -> None:
    old = union(obj(type=lit("a"), x="string"), obj(type=lit("b"), x="string"))
    new = union(obj(type=lit("a"), x="string"), obj(type=lit("b"), x="number"))
    assert changed(old, new) == [("type-changed", "A(type=b).x")]


def test_of_several_that_share_a_literal_the_most_alike_are_paired() -> None:
    one, other = obj(type=lit("a"), id="string", x="string"), obj(type=lit("a"), key="string", y="string")
    assert changed(union(one, other), union(one, obj(type=lit("a"), key="string", y="string", z_="string"))) == [
        ("added-optional", "A(type=a).z")
    ]


def test_the_few_members_of_a_name_that_took_anothers_place_are_told_one_by_one() -> None:
    def holding(name: str, kind: str) -> dict[Address, Fact]:
        inner = {"kind": ["interface"], "type": obj(a=kind, b=kind)}
        hidden = Fact(Address(f"ts:p/inner#{name}"), inner)
        return {**facts(A=obj(x={"ref": f"p/inner#{name}"})), hidden.address: hidden}

    found = types.compare(holding("Before", "string"), holding("After", "number"))
    assert sorted(str(change.address) for change in found) == ["ts:p#A.x.a", "ts:p#A.x.b"]


def test_an_edit_below_a_name_with_dots_is_told_where_it_was_made() -> None:
    """A type of a namespace took another's place, and the other one was edited in the same way."""

    def holding(name: str, kind: str) -> dict[Address, Fact]:
        rows = {
            f"ts:p#JSX.{each}": Fact(Address(f"ts:p#JSX.{each}"), {"kind": ["interface"], "type": obj(a=kind)})
            for each in ("Base", "Own")
        }
        return {**facts(A=obj(x={"ref": f"p#JSX.{name}"})), **{fact.address: fact for fact in rows.values()}}

    found = types.compare(holding("Base", "string"), holding("Own", "number"))
    told = [{str(change.address), *change.args.get("reaches", ())} for change in found]  # type: ignore[misc]
    assert sorted(map(sorted, told)) == [["ts:p#A.x.a", "ts:p#JSX.Base.a"], ["ts:p#JSX.Own.a"]]


def test_a_name_that_took_anothers_place_is_told_inside_until_its_members_are_known() -> None:
    """A rewrite replaces the same names everywhere: the cost must not be members times places."""
    members = {f"m{number:02}": "string" for number in range(40)}
    places = [f"A{number:02}" for number in range(30)]

    def holding(name: str, kind: str) -> dict[Address, Fact]:
        inner = {"kind": ["interface"], "type": obj(**dict.fromkeys(members, kind))}
        hidden = Fact(Address(f"ts:p/inner#{name}"), inner)
        return {**facts(**{place: obj(x={"ref": f"p/inner#{name}"}) for place in places}), hidden.address: hidden}

    old, new = holding("Before", "string"), holding("After", "number")
    found = list(types.compare(old, new))
    (inside,) = [change for change in found if ".x.m" in change.address]
    (whole,) = [change for change in found if change is not inside]
    assert (inside.before, inside.after, whole.before, whole.after) == ("string", "number", "Before", "After")
    reached = {str(one).rpartition(".")[2] for one in (inside.address, *inside.args["reaches"])}  # type: ignore[misc]
    assert reached >= members.keys(), "what many members have in common is told once, and names them all"
    told = {str(change.address).partition(".")[0] for change in found}
    told |= {str(one).partition(".")[0] for change in found for one in change.args.get("reaches", ())}  # type: ignore[union-attr]
    assert told == {f"ts:p#{place}" for place in places}
    edits = sum(len(list(row)) for row in _edits(old, new))
    assert edits < MAX_BEHIND + 2 * len(members) + len(places)


def _edits(old: Any, new: Any) -> Iterator[Iterator[Any]]:
    before, after = side(old), side(new)
    differ = Differ(before.definitions, after.definitions)
    for name in before.definitions.keys() & after.definitions.keys():
        yield differ.definitions(name, before.definitions[name], after.definitions[name])


def test_what_could_not_be_resolved_did_not_change() -> None:
    assert changed(obj(a={"missing": "gone"}), obj(a="string")) == []


def test_a_name_that_came_from_another_package_and_now_is_its_own_is_not_silent() -> None:
    taken = Fact(Address("ts:p#Failed"), {"reexport": "elsewhere#Failed"})
    own = Fact(Address("ts:p#Failed"), {"kind": ["interface"], "type": obj(code="number"), "api": 1})
    old, new = ({**facts(A="string"), fact.address: fact} for fact in (taken, own))
    (change,) = types.compare(old, new)
    assert (change.kind, str(change.address)) == ("type-changed", "ts:p#Failed")
    assert (change.before, change.after) == ("Failed of elsewhere", "Failed of p")


def test_a_package_that_only_one_side_has_is_not_compared() -> None:
    assert list(types.compare(facts(A="string"), {})) == []
    assert list(types.compare({}, facts(A="string"))) == []


# --- names that mean the same


def same(old: Any, new: Any, before: Any = None, after: Any = None) -> bool:
    rows = [{name: {"kind": ["alias"], "type": kind} for name, kind in (side or {}).items()} for side in (before, after)]
    return Same(*rows)(old, new)


def test_names_are_looked_behind() -> None:
    assert same({"ref": "One"}, {"ref": "Two"}, {"One": obj(a="string")}, {"Two": obj(a="string")})
    assert not same({"ref": "One"}, {"ref": "Two"}, {"One": obj(a="string")}, {"Two": obj(a="number")})
    assert same(obj(a="string"), {"ref": "Two"}, {}, {"Two": obj(a="string")})


def test_recursive_types_are_compared_to_their_end() -> None:
    one = {"One": obj(next_={"ref": "One"}, value="string")}
    two = {"Two": obj(next_={"ref": "Two"}, value="string")}
    assert same({"ref": "One"}, {"ref": "Two"}, one, two)
    other = {"Two": obj(next_={"ref": "Two"}, value="number")}
    assert not same({"ref": "One"}, {"ref": "Two"}, one, other)


def test_a_name_met_by_many_ways_is_looked_behind_once() -> None:
    """Each leads to the next three times: as many ways to the last as no budget of steps would cover."""

    def chain(name: str, last: str) -> dict[str, Any]:
        rows = {
            f"{name}{n}": obj(**{key: {"ref": f"{name}{n + 1}"} for key in "abc"}, top={"ref": f"{name}0"}) for n in range(25)
        }
        return {**rows, f"{name}25": obj(value=last, top={"ref": f"{name}3"})}

    assert same({"ref": "One0"}, {"ref": "Two0"}, chain("One", "string"), chain("Two", "string"))
    assert not same({"ref": "One0"}, {"ref": "Two0"}, chain("One", "string"), chain("Two", "number"))


def test_generic_names_are_compared_whatever_their_arguments_are() -> None:
    """Types that hold themselves with ever other arguments: there are endless ones to fill in."""

    def both(name: str, other: str, kind: str) -> dict[str, Any]:
        return {
            one: {
                "kind": ["interface"],
                "tp": [{"n": "0.0"}],
                "type": obj(value=kind, it={"tp": "0.0"}, more={"ref": two, "args": [{"ref": one, "args": [{"tp": "0.0"}]}]}),
            }
            for one, two in ((name, other), (other, name))
        }

    asked = Same(both("A", "B", "string"), both("X", "Y", "string"))
    assert asked({"ref": "A", "args": ["string"]}, {"ref": "X", "args": ["string"]})
    assert not asked({"ref": "A", "args": ["string"]}, {"ref": "X", "args": ["number"]})
    other = Same(both("A", "B", "string"), both("X", "Y", "number"))
    assert not other({"ref": "A", "args": ["string"]}, {"ref": "X", "args": ["string"]})


def test_unions_behind_names_are_flat() -> None:
    assert same(union({"ref": "S"}, "null"), union(lit("a"), lit("b"), "null"), {"S": union(lit("a"), lit("b"))})


def test_generic_names_are_filled_in() -> None:
    generic = {"kind": ["alias"], "tp": [{"n": "0.0"}], "type": obj(value={"tp": "0.0"})}
    asked = Same({"Box": generic}, {})
    assert asked({"ref": "Box", "args": ["string"]}, obj(value="string"))
    assert not asked({"ref": "Box", "args": ["string"]}, obj(value="number"))


def test_type_parameters_are_known_by_place() -> None:
    def signature(name: str) -> Any:
        return {"obj": {"call": [{"tp": [{"n": name}], "p": [{"t": {"tp": name}}], "r": {"tp": name}}]}}

    assert same(signature("0.0"), signature("1.0"))
    crossed = {"obj": {"call": [{"tp": [{"n": "1.0"}], "p": [{"t": {"tp": "1.0"}}], "r": "string"}]}}
    assert not same(signature("0.0"), crossed)


def test_what_this_must_be_is_part_of_a_function() -> None:
    def bound(kind: Any) -> Any:
        return obj(f={"obj": {"call": [{"th": kind, "p": [], "r": "void"}]}})

    assert changed(bound("string"), bound("string")) == []
    assert changed(bound("string"), bound("number")) == [("param-changed", "A.f(this)")]


def test_substitution_reaches_everywhere() -> None:
    assert substitute(obj(a=union({"tp": "0.0"}, "null")), {"0.0": "string"}) == obj(a=union("string", "null"))


def test_what_was_answered_by_help_of_a_guess_is_forgotten_with_it() -> None:
    memo, asked = Memo(), []

    def inner() -> bool | None:
        asked.append("inner")
        return memo.ask("outer", lambda: True)

    assert memo.ask("outer", lambda: memo.ask("inner", inner) and False) is False
    assert memo.ask("inner", inner) is False  # it had hung on a yes that was a no
    assert memo.ask("inner", inner) is False
    assert asked == ["inner", "inner"]


def test_what_was_answered_by_help_of_a_guess_that_held_is_known() -> None:
    memo, asked = Memo(), []

    def inner() -> bool | None:
        asked.append("inner")
        return memo.ask("outer", lambda: True)

    assert memo.ask("outer", lambda: memo.ask("inner", inner) and memo.ask("inner", inner)) is True
    assert memo.ask("inner", inner) is True
    assert asked == ["inner"]


# --- who reaches whom


def test_what_leads_to_each_other_is_one_circle() -> None:
    edges = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": []}
    found = components(edges, edges)
    assert found["b"] == found["c"]
    assert len({found["a"], found["b"], found["d"]}) == 3
    assert found["d"] < found["b"] < found["a"]


def test_a_long_chain_of_types_has_an_end() -> None:
    edges = {str(n): [str(n + 1)] for n in range(20_000)}
    assert len(set(components(edges, edges).values())) == 20_001


def many(kind: Any) -> dict[Address, Fact]:
    """One type that many exported names hold."""
    places = {f"A{number:02}": obj(x={"ref": "p#Shared"}) for number in range(20)}
    rows = facts(Shared=obj(deep=kind), **places)
    for address, fact in rows.items():
        if ".x" not in address and "#A" in address and isinstance(fact.value, dict):
            rows[address] = Fact(address, {**fact.value, "uses": {".x": ["p#Shared"]}})
    return rows


def test_members_that_are_reached_are_named_one_by_one() -> None:
    (change,) = types.compare(many("string"), many("number"))
    assert change.args["reaches"] == [f"ts:p#A{number:02}.x" for number in range(20)]
    assert "reaches_whole" not in change.args


def test_where_that_were_too_much_the_exported_names_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(types, "MAX_REACHED", 10)
    (change,) = types.compare(many("string"), many("number"))
    assert change.args["reaches"] == [f"ts:p#A{number:02}" for number in range(20)]
    assert change.args["reaches_whole"] is True


def leading(shared: Any, **kinds: tuple[Any, dict[str, list[str]]]) -> dict[Address, Fact]:
    """``Shared``, and names with what each of their members leads to."""
    rows = facts(Shared=shared, **{name: kind for name, (kind, _) in kinds.items()})
    for name, (_, uses) in kinds.items():
        address = Address(f"ts:p#{name}")
        row = rows[address].value
        assert isinstance(row, dict)
        leads: Any = {top: [f"p#{one}" for one in names] for top, names in uses.items()}
        rows[address] = Fact(address, {**row, "uses": leads})
    return rows


def reached(old: Any, new: Any) -> dict[str, list[str]]:
    found = types.compare(old, new)
    return {str(change.address)[5:]: [str(one)[5:] for one in change.args.get("reaches", ())] for change in found}  # type: ignore[union-attr]


SHARED: Any = {"ref": "p#Shared"}


def test_a_change_does_not_show_where_another_type_took_the_place_on_the_way() -> None:
    context, hooks = {".ask": ["Shared"], ".get": ["Shared"]}, (obj(tool={"ref": "p#Context"}), {".tool": ["Context"]})
    old = leading(obj(deep="string"), Context=(obj(ask=SHARED, get=SHARED), context), Hooks=hooks)
    some = leading(obj(deep="number"), Context=(obj(ask="void", get=SHARED), {".get": ["Shared"]}), Hooks=hooks)
    none = leading(obj(deep="number"), Context=(obj(ask="void", get="void"), {}), Hooks=hooks)
    assert reached(old, some) == {"Shared.deep": ["Context.get", "Hooks.tool"], "Context.ask": ["Hooks.tool"]}
    assert reached(old, none) == {"Shared.deep": [], "Context.ask": ["Hooks.tool"], "Context.get": ["Hooks.tool"]}
    assert reached(none, old) == reached(old, none)


def test_a_change_shows_by_whatever_way_it_is_come_to_on_either_side() -> None:
    way, other = (obj(x=SHARED), {".x": ["Shared"]}), (obj(y=obj(x=SHARED)), {".y": ["Shared"]})
    old = leading(
        obj(deep="string"), Base=way, A=(obj(x=SHARED), {".x": ["Shared"]}), B=(obj(y={"ref": "p#Base"}), {".y": ["Base"]})
    )
    new = leading(obj(deep="number"), Base=way, A=({"ref": "p#Base"}, {"": ["Base"]}), B=other)
    assert reached(old, new) == {"Shared.deep": ["A", "A.x", "B.y", "Base.x"]}


# --- fitting


@pytest.mark.parametrize(
    ("old", "new", "fits"),
    [
        (obj(a="string", b="string"), obj(a="string"), True),
        (obj(a="string"), obj(a="string", b="string"), False),
        (obj(a="string"), obj(a="string", b_="string"), True),
        (obj(a_="string"), obj(a="string"), False),
        ({"em": "E", "n": "A"}, {"enum": "E"}, True),
        ({"ref": "@lib#Set", "args": ["string"]}, {"ref": "@lib#Set", "args": ["number"]}, None),
        ({"cond": ["string", "string", "a", "b"]}, "string", None),
        ("never", "string", True),
        ("undefined", "void", True),
    ],
)
def test_whether_values_fit(old: Any, new: Any, fits: bool | None) -> None:
    assert Fits({}, {})(old, new) is fits


# --- addresses and words


def test_one_step_up() -> None:
    assert parent('p#Hooks["a.b"](1).args') == 'p#Hooks["a.b"](1)'
    assert parent('p#Hooks["a.b"]') == "p#Hooks"
    assert parent("p#Hooks") == "p#Hooks"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (obj(a_="string"), "{ a?: string }"),
        ({"ref": "@lib#Array", "args": [union("string", "number")]}, "(string | number)[]"),
        ({"obj": {"call": [{"p": [{"t": "string"}, {"t": "number", "o": 1}], "r": "void"}]}}, "(string, number?) => void"),
        ({"ref": "p/x#Box", "args": ["string"]}, "Box<string>"),
        ({"tuple": [{"t": "string"}, {"t": "number", "rest": 1}]}, "[string, ...number]"),
        ({"tpl": [["a-", ""], ["string"]]}, "`a-${string}`"),
        ({"lit": "10n", "big": 1}, "10n"),
    ],
)
def test_types_in_words(kind: Any, text: str) -> None:
    assert show(kind) == text


def test_words_have_an_end() -> None:
    deep: Any = "string"
    for _ in range(50):
        deep = obj(a=deep, b=deep)
    assert len(show(deep)) <= 400


# --- for every pair

NAMES = st.sampled_from(["a", "b", "c", "d.e"])
LEAVES = st.sampled_from(["string", "number", "boolean", "null", "unknown", lit("x"), lit(1), {"ref": "q#Far"}, {"ref": "p#A"}])


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(NAMES, st.tuples(inner, st.booleans(), st.booleans()), max_size=3).map(
        lambda rows: {
            "obj": {
                "props": [
                    {"n": name, "t": kind, **({"o": 1} if optional else {}), **({"r": 1} if fixed else {})}
                    for name, (kind, optional, fixed) in sorted(rows.items())
                ]
            }
        }
    )


def functions(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.tuples(st.lists(inner, max_size=3), inner).map(
        lambda row: {"obj": {"call": [{"p": [{"t": kind} for kind in row[0]], "r": row[1]}]}}
    )


KINDS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        objects(inner),
        functions(inner),
        st.lists(inner, min_size=2, max_size=3, unique_by=repr).map(lambda rows: union(*sorted(rows, key=repr))),
        inner.map(lambda kind: {"ref": "@lib#Array", "args": [kind]}),
    ),
    max_leaves=12,
)
MIRROR = {
    "added-optional": "removed",
    "added-required": "removed",
    "became-optional": "became-required",
    "became-any": "type-changed",
    "widened": "narrowed",
    "union-member-added": "union-member-removed",
    "readonly-added": "readonly-removed",
}


@given(KINDS)
@pytest.mark.slow
def test_nothing_differs_from_itself(kind: Any) -> None:
    assert changed(kind, kind) == []


@given(KINDS, KINDS)
@pytest.mark.slow
def test_a_difference_shows_both_ways_round(old: Any, new: Any) -> None:
    forth, back = changed(old, new), changed(new, old)
    assert bool(forth) == bool(back)
    assert {address for _, address in forth} == {address for _, address in back}


@given(KINDS, KINDS)
@pytest.mark.slow
def test_every_kind_is_one_that_is_known(old: Any, new: Any) -> None:
    assert {kind for kind, _ in changed(old, new)} <= set(types.KINDS)


@given(st.sampled_from(sorted(MIRROR)), KINDS)
@pytest.mark.slow
def test_the_mirror_of_an_edit(kind: str, inner: Any) -> None:
    edits = {
        "added-optional": (obj(z="string"), obj(z="string", y_=inner)),
        "added-required": (obj(z="string"), obj(z="string", y=inner)),
        "became-optional": (obj(y=inner), obj(y_=inner)),
        "became-any": (obj(y="string"), obj(y="any")),
        "widened": (obj(y="bigint"), obj(y=union("bigint", "symbol"))),
        "union-member-added": (union(lit("m"), lit("n")), union(lit("m"), lit("n"), lit("o"))),
        "readonly-added": (obj(y=inner), {"obj": {"props": [{"n": "y", "t": inner, "r": 1}]}}),
    }
    old, new = edits[kind]
    assert [row[0] for row in changed(old, new)] == [kind]
    assert [row[0] for row in changed(new, old)] == [MIRROR[kind]]


def test_changes_are_likely_until_proven() -> None:
    found: list[Change] = list(types.compare(facts(A="string"), facts(A="number")))
    assert [change.confidence for change in found] == ["likely"]
