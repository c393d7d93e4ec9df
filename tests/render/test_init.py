"""The proposed watchlist is YAML that means what it says, whatever the names in it are."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from driftwatch.config.model import Watchlist
from driftwatch.render.init import GROUPS, Draft, Entry, Watched, render, scalar

HOOK = 'ts:@acme/plugin#Hooks["tool.execute.before"]'
DRAFT = Draft(
    name="ours",
    role="implementer",
    driver="opencode",
    packages=("@acme/plugin", "acme"),
    accepted="1.10.0",
    how="package-lock.json",
    git_url="https://example.invalid/acme.git",
    git_tags="v{version}",
    openapi="openapi.json",
    source=("src",),
    files=3,
    watch=(Watched("src/**", "the hooks"),),
    probes=("opencode/load",),
    entries=(
        Entry(HOOK, "hook", tuple(f"src/index.ts:{line}" for line in (1, 2, 3, 4, 5))),
        Entry("event:session.idle", "event", ("src/index.ts:9",), unsure=True),
        Entry("ts:@acme/plugin#Gone", "import", ("src/index.ts:1",), aside="not declared by 1.10.0"),
    ),
    left_out=4,
)


def read(text: str) -> Watchlist:
    return Watchlist.model_validate(yaml.safe_load(text))


def test_it_reads_back_as_what_was_drafted() -> None:
    watchlist = read(render(DRAFT))
    upstream = watchlist.upstreams[0]
    assert (watchlist.project.name, watchlist.project.role, watchlist.project.source) == ("ours", "implementer", ("src",))
    assert (upstream.packages, upstream.accepted, upstream.probes) == (DRAFT.packages, "1.10.0", DRAFT.probes)
    assert [row.address for row in upstream.relies_on] == [HOOK, "event:session.idle"]
    assert [(row.path, row.breaks) for row in upstream.watch] == [("src/**", "the hooks")]


def test_places_doubts_and_what_is_left_out_are_comments() -> None:
    text = render(DRAFT)
    assert "# src/index.ts:1, src/index.ts:2, src/index.ts:3 and 2 more\n" in text
    assert "# src/index.ts:9; told by name and shape only\n" in text
    assert "#   ts:@acme/plugin#Gone: not declared by 1.10.0 (src/index.ts:1)\n" in text
    assert "and 4 uses of what lies inside" in text


def test_an_unknown_version_is_said_and_not_invented() -> None:
    from dataclasses import replace

    text = render(replace(DRAFT, accepted="", how="workspace:* is not a version\nof: the registry"))
    assert read(text).upstreams[0].accepted is None
    assert "# accepted: which version is not known: workspace:* is not a version of: the registry\n" in text


@pytest.mark.parametrize(
    "word",
    [
        "1.10",
        "no",
        "Yes",
        "null",
        "~",
        "0x1f",
        "1e3",
        "*",
        "a: b",
        "a #b",
        "- x",
        "'",
        '"',
        "@x/y",
        'it\'s "both"',
        ".5",
        "=",
        "1_0",
    ],
)
def test_scalars_mean_their_own_text(word: str) -> None:
    assert yaml.safe_load(f"- {scalar(word)} # comment") == [word]
    assert yaml.safe_load(f"[{scalar(word)}, x]") == [word, "x"]


@settings(max_examples=50, deadline=None)
@given(st.text(min_size=1), st.text(), st.sampled_from([*GROUPS]))
def test_no_name_becomes_yaml_of_its_own(name: str, place: str, group: str) -> None:
    from dataclasses import replace

    entry = Entry("event:x", group, (place,), note=name)
    drafted = replace(DRAFT, how=name, notes=(place,), entries=(entry, replace(entry, address=f"y{place}", aside=name)))
    data = yaml.safe_load(render(drafted))
    assert data["upstreams"][0]["relies_on"] == ["event:x"]
    assert list(data) == ["version", "project", "upstreams"]
