"""docs/systems.md says what the committed reports say: the count of surfaces, and for each claim whether it was looked at."""

from __future__ import annotations

import re

import pytest

from tests.examples.table import NAMES, PAGE, REPORTS, ROOT, filled, report

CLAIM = re.compile(r"^\| (?P<claim>[^|]+) \| (?P<verdict>confirmed|refuted|could not look) \| (?P<evidence>.+) \|$", re.MULTILINE)
ADDRESS = re.compile(r"`((?:[a-z]+):[^`]+)`")
TEXT = PAGE.read_text("utf-8")


def test_the_table_is_made_from_the_reports() -> None:
    assert filled(TEXT) == TEXT, "make it again: python -m tests.examples.table"


@pytest.mark.parametrize("system", NAMES)
def test_each_claim_names_an_address_of_the_report(system: str) -> None:
    statuses: dict[str, set[str]] = {}
    for upstream in report(system).upstreams:
        for row in upstream.reliances:
            statuses.setdefault(row.address, set()).add(row.status)
    part = TEXT.partition(f"\n## {NAMES[system]}\n")[2].partition("\n## ")[0]
    claims = list(CLAIM.finditer(part))
    assert len(claims) >= 8, f"{system} has {len(claims)} claims"
    for claim in claims:
        named = ADDRESS.findall(claim["evidence"].replace("\\|", "|"))
        assert named, claim["claim"]
        for address in named:
            assert address in statuses, f"{claim['claim']}: the report of {system} has no {address}"
        looked = any(statuses[address] - {"unverified"} for address in named)
        assert looked == (claim["verdict"] != "could not look"), f"{claim['claim']}: {[statuses[each] for each in named]}"


@pytest.mark.parametrize("system", NAMES)
def test_reports_hold_no_path_of_the_machine_that_made_them(system: str) -> None:
    for path in sorted((REPORTS / system).iterdir()):
        text = path.read_text("utf-8")
        assert path.name in ("latest.md", "latest.html", "latest.json")
        assert not re.search(r"(?<![\w/])/(home|root|tmp|work|Users)/\w", text.replace(str(ROOT), "")), path
