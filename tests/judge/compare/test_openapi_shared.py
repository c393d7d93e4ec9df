"""One edit is one change, where it is written; unions, bases and streams are followed; what was not looked at says nothing."""

from __future__ import annotations

from typing import Any

from driftwatch.judge.compare import compare
from driftwatch.model import Fact, Observed, Ref, Snapshot
from driftwatch.observe.facts import openapi
from driftwatch.rules import by_change
from tests.support.apis import changes, said, snapshot

Json = Any
STRING: Json = {"type": "string"}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def document(schemas: Json, asked: Json = None, answered: Json = None, **more: Json) -> Json:
    operation: Json = {"responses": {"200": {"description": "ok"}}}
    if asked is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": asked}}}
    if answered is not None:
        operation["responses"]["200"]["content"] = {"application/json": {"schema": answered}}
    return {"openapi": "3.1.0", "info": {}, "paths": {"/x": {"post": operation}}, "components": {"schemas": schemas}, **more}


def thing(**members: Json) -> Json:
    return {"type": "object", "properties": members, "required": sorted(members)}


def test_a_base_is_edited_once_however_many_build_on_it() -> None:
    def made(base: Json) -> Json:
        derived = {f"D{n}": {"allOf": [ref("Base"), thing(own=STRING)]} for n in range(4)}
        return document({"Base": base, **derived}, answered=thing(**{name: ref(name) for name in derived}))

    found = changes(made(thing(a=STRING, b=STRING)), made(thing(a=STRING, b={"type": "integer"})))
    assert [(change.kind, change.address) for change in found] == [("response-type-changed", "schema:Base#b")]
    gone = changes(made(thing(a=STRING, b=STRING)), made(thing(a=STRING)))
    assert [(change.kind, change.address) for change in gone] == [("response-property-removed", "schema:Base#b")]
    come = changes(made(thing(a=STRING)), made(thing(a=STRING, b=STRING)))
    assert [(change.kind, change.address) for change in come] == [("response-property-added-required", "schema:Base#b")]


def test_a_schema_built_on_a_base_may_ask_for_more() -> None:
    base = {"type": "object", "properties": {"a": STRING}}
    old = document({"Base": base, "D": {"allOf": [ref("Base")]}}, asked=ref("D"))
    new = document({"Base": base, "D": {"allOf": [ref("Base"), {"required": ["a"]}]}}, asked=ref("D"))
    assert said(old, new) == [("request-became-required", "schema:D#a")]


def test_schemas_that_hold_themselves() -> None:
    def made(kind: str) -> Json:
        tree = thing(value={"type": kind}, children={"type": "array", "items": ref("Tree")}, other=ref("A"))
        return document(
            {"Tree": tree, "A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}, answered=ref("Tree")
        )

    assert said(made("string"), made("integer")) == [("response-type-changed", "schema:Tree#value")]


def test_a_base_that_is_made_of_itself_is_a_gap() -> None:
    schemas = {"A": {"allOf": [ref("B"), thing(a=STRING)]}, "B": {"allOf": [ref("A"), thing(b=STRING)]}}
    found = openapi.observe(document(schemas, answered=ref("A")))
    assert any("made of itself" in gap.reason for gap in found.gaps)


def test_the_way_to_an_edit_goes_through_lists_maps_and_variants() -> None:
    def made(members: Json) -> Json:
        part = {"oneOf": [ref("Text"), thing(type={"const": "file"})]}
        schemas = {
            "Text": {**thing(type={"const": "text"}, **members)},
            "Box": {"type": "object", "additionalProperties": ref("Part")},
            "Part": part,
        }
        return document(schemas, answered={"type": "array", "items": ref("Box")})

    (found,) = changes(made({"body": STRING}), made({}))
    assert (found.kind, found.address) == ("response-property-removed", "schema:Text#body")
    assert found.args["reaches"] == ["http:POST /x#response.200[][string](type=text).body"]


def test_both_sides_are_one_change_that_names_both() -> None:
    old = document({"T": thing(a=STRING)}, asked=ref("T"), answered=ref("T"))
    new = document({"T": thing(a={"type": "integer"})}, asked=ref("T"), answered=ref("T"))
    (found,) = changes(old, new)
    assert (found.kind, found.args["sides"], found.args["reach_count"]) == ("both-type-changed", ["request", "response"], 1)
    assert found.args["reaches"] == ["http:POST /x#body.a", "http:POST /x#response.200.a"]


def test_a_schema_split_in_two_keeps_its_users_apart() -> None:
    old = document({"T": thing(a=STRING)}, asked=ref("T"), answered=ref("T"))
    new = document({"Ask": thing(a=STRING, b=STRING), "Answer": thing(a=STRING)}, asked=ref("Ask"), answered=ref("Answer"))
    assert said(old, new) == [("request-property-added-required", "schema:T#b")]


def test_an_edit_is_met_by_those_alone_that_have_another_schema_now() -> None:
    def made(first: str, second: str) -> Json:
        schemas = {name: thing(**{name.lower(): STRING}) for name in ("Lost", "Refused")}
        api = document({**schemas, "Box": thing(inside=ref(first))}, answered=ref("Box"))
        answer = {"description": "ok", "content": {"application/json": {"schema": ref(second)}}}
        return {**api, "paths": {**api["paths"], "/y": {"get": {"responses": {"200": {"description": "ok"}, "404": answer}}}}}

    def reached(old: Json, new: Json) -> dict[str, Json]:
        return {f"{change.kind} {change.address}": change.args["reaches"] for change in changes(old, new)}

    gone, come = "response-property-removed schema:Lost#lost", "response-property-added-required schema:Lost#refused"
    box, answer = "http:POST /x#response.200.inside", "http:GET /y#response.404"
    assert reached(made("Lost", "Lost"), made("Lost", "Refused")) == {gone: [f"{answer}.lost"], come: [f"{answer}.refused"]}
    assert reached(made("Lost", "Lost"), made("Refused", "Lost")) == {gone: [f"{box}.lost"], come: [f"{box}.refused"]}


def test_a_union_widened_is_one_change_not_one_a_variant() -> None:
    old = document({}, answered=thing(m={"anyOf": [{"const": True}, thing(field=STRING)]}))
    new = document({}, answered=thing(m={"anyOf": [{"type": "boolean"}, STRING, thing(field=STRING)]}))
    assert said(old, new) == [("response-type-widened", "http:POST /x#response.200.m")]


def test_discriminators_tell_variants() -> None:
    def made(*names: str) -> Json:
        schemas = {name: thing(petType=STRING, **{name.lower(): STRING}) for name in ("Cat", "Dog", "Fox")}
        union = {"oneOf": [ref(name) for name in names], "discriminator": {"propertyName": "petType"}}
        return document(schemas, answered=union)

    assert ("response-variant-added", "http:POST /x#response.200") in said(made("Cat", "Dog"), made("Fox", "Dog", "Cat"))
    renamed = made("Cat", "Dog")
    renamed["paths"]["/x"]["post"]["responses"]["200"]["content"]["application/json"]["schema"]["discriminator"] = {
        "propertyName": "kind"
    }
    assert said(made("Cat", "Dog"), renamed) == [("response-constraint-changed", "http:POST /x#response.200")]


def test_tuples_patterns_and_maps() -> None:
    old = document(
        {},
        asked=thing(
            t={"type": "array", "prefixItems": [STRING]},
            p={"type": "object", "patternProperties": {"^x": STRING}},
            v={"type": "object", "additionalProperties": STRING},
        ),
    )
    new = document(
        {},
        asked=thing(
            t={"type": "array", "prefixItems": [STRING, STRING]},
            p={"type": "object", "patternProperties": {"^x": {"type": "integer"}}},
            v={"type": "object", "additionalProperties": {"type": "boolean"}},
        ),
    )
    assert said(old, new) == [
        ("request-property-added-required", "http:POST /x#body.t[1]"),
        ("request-type-changed", "http:POST /x#body.p(keys ^x)"),
        ("request-type-changed", "http:POST /x#body.v[string]"),
    ]


def test_whether_a_number_may_have_a_fraction_is_a_limit() -> None:
    def made(kind: str) -> Json:
        return document({"T": thing(n={"type": kind})}, answered=ref("T"))

    (found,) = changes(made("integer"), made("number"))
    assert (found.kind, found.address, found.before, found.after) == (
        "response-limit-loosened",
        "schema:T#n",
        "integer",
        "number",
    )
    assert by_change()["schema", found.kind].consumer == "risky"
    assert said(made("number"), made("integer")) == [("response-limit-tightened", "schema:T#n")]
    assert said(document({}, asked=thing(n={"type": "integer"})), document({}, asked=thing(n={"type": ["number"]}))) == [
        ("request-limit-loosened", "http:POST /x#body.n")
    ]


def test_bounds() -> None:
    def bounds(**words: Json) -> Json:
        return document({}, asked=thing(n={"type": "integer", **words}))

    tight, loose, member = "request-limit-tightened", "request-limit-loosened", "http:POST /x#body.n"
    assert said(bounds(), bounds(minimum=1)) == [(tight, member)]
    assert said(bounds(minimum=1), bounds(exclusiveMinimum=1)) == [(tight, member)]
    assert said(bounds(maximum=9), bounds(exclusiveMaximum=9)) == [(tight, member)]
    assert said(bounds(maximum=9), bounds(maximum=8, minimum=0)) == [(tight, member), (tight, member)]
    assert said(bounds(minimum=1, maximum=9), bounds(minimum=0, maximum=5)) == [(loose, member), (tight, member)]
    assert said(bounds(multipleOf=2), bounds(multipleOf=4)) == [("request-constraint-changed", member)]


def test_an_event_payload_points_at_shared_schemas() -> None:
    def made(info: Json) -> Json:
        events = {f"E{n}": thing(type={"const": f"session.{n}"}, properties=thing(info=ref("Session"))) for n in range(3)}
        schemas = {"Event": {"anyOf": [ref(name) for name in events]}, "Session": info, **events}
        return document(schemas, answered=ref("Event"))

    (found,) = changes(made(thing(id=STRING, title=STRING)), made(thing(id=STRING)))
    assert (found.kind, found.address) == ("response-property-removed", "schema:Session#title")
    assert found.args["reaches"] == [f"event:session.{n}#properties.info.title" for n in range(3)]


def test_a_stream_with_a_generated_number_is_the_same_stream() -> None:
    def made(union: str) -> Json:
        events = {f"E{n}": thing(type={"const": f"e.{n}"}) for n in range(2)}
        return document({union: {"anyOf": [ref(name) for name in events]}, **events}, answered=ref(union))

    assert said(made("V2Event"), made("V2Event1")) == []


def test_what_all_events_are_wrapped_in_is_edited_once() -> None:
    def made(id_: Json) -> Json:
        events = {f"E{n}": thing(id=id_, type={"const": f"e.{n}"}) for n in range(6)}
        return document({"Event": {"anyOf": [ref(name) for name in events]}, **events}, answered=ref("Event"))

    (found,) = changes(made(STRING), made({"type": "string", "pattern": "^evt_"}))
    assert (found.kind, found.address, found.args["reach_count"]) == ("payload-limit-tightened", "event:*#id", 6)


def test_a_kind_that_one_side_has_not_looked_at_says_nothing() -> None:
    full = snapshot(document({"T": thing(a=STRING)}, asked=ref("T")))
    empty = Snapshot.of(Ref("api", "2"), Observed())
    assert compare(full, empty) == compare(empty, full) == ()


def test_a_document_that_lists_events_no_more_has_lost_them() -> None:
    events = {f"E{n}": thing(type={"const": f"e.{n}"}) for n in range(2)}
    old = document({"Event": {"anyOf": [ref(name) for name in events]}, **events}, asked=STRING)
    assert said(old, document({}, asked=STRING)) == [("removed", "event:e.0"), ("removed", "event:e.1")]


def test_a_place_that_could_not_be_read_is_not_a_change() -> None:
    old = document({}, asked=thing(a={"$ref": "other.yaml#/A"}))
    assert said(old, document({}, asked=thing(a=STRING))) == []
    assert openapi.observe(old).gaps[0].address == "http:POST /x"


def test_facts_of_another_making_are_left_alone() -> None:
    odd = Snapshot.of(Ref("api", "1"), Observed((Fact(openapi.observe(document({})).facts[0].address, 7),)))
    assert compare(odd, odd) == ()


def test_a_schema_that_is_listed_under_a_second_name_is_no_new_variant() -> None:
    def made(*listed: str, **schemas: Json) -> Json:
        return document(schemas, answered={"anyOf": [ref(name) for name in listed]})

    bad = thing(_tag={"const": "Bad"}, message=STRING)
    one, two = made("Bad", Bad=bad), made("Bad", "Bad1", Bad=bad, Bad1=bad)
    assert said(one, two) == said(two, one) == []
    other = made("Bad", "Bad1", Bad=bad, Bad1=thing(_tag={"const": "Bad"}, message=STRING, hint=STRING))
    assert said(one, other) == [("response-type-widened", "schema:Bad")]
