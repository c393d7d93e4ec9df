"""The rule catalogue: which change at which kind of address means what, for whom. Data in ``catalogue/*.toml``.

A row has these keys (all but ``mirror``, ``always`` and the examples are required):

- ``id``: kebab-case, unique, stable for ever (fingerprints and waivers name it)
- ``address``: the kind of address it looks at (``tag``, ``ts``, ...), or several, with spaces between;
  ``change``: the kind of change (``removed``, ...)
- ``consumer`` / ``implementer``: severity for who reads values and calls / for who writes the hooks object
- ``message``: what happened, a ``str.format`` template over ``address subject member before after`` and the change's args
- ``about``: why it matters here; ``todo``: what to do; ``old`` / ``new``: a small example
- ``always``: true when it concerns every project, relied on or not (an integrity alarm, a withdrawn accepted version)
- ``mirror``: the rule for the opposite change
- ``exhaustive``: the severity for source that must handle every member (a switch that ends in a check for ``never``)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from driftwatch.model import Role, Severity


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the catalogue; the module says what each key means."""

    id: str
    address: str
    change: str
    consumer: Severity
    implementer: Severity
    message: str
    about: str
    todo: str
    old: str = ""
    new: str = ""
    always: bool = False
    mirror: str = ""
    exhaustive: Severity | None = None

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of address it looks at."""
        return tuple(self.address.split())

    def severity(self, role: Role) -> Severity:
        return self.consumer if role == "consumer" else self.implementer


@cache
def catalogue() -> Mapping[str, Rule]:
    """Every rule by id, sorted by id. Raises ValueError on a duplicate id or an unknown key (a mistake of ours)."""
    rules: dict[str, Rule] = {}
    for file in sorted(Path(__file__).with_name("catalogue").glob("*.toml")):
        for row in rows(file.read_text("utf-8")):
            try:
                rule = Rule(**row)
            except TypeError as error:
                raise ValueError(f"{file.name}: rule {row.get('id')!r}: {error}") from error
            if rule.id in rules:
                raise ValueError(f"{file.name}: rule {rule.id!r} is there twice")
            rules[rule.id] = rule
    return dict(sorted(rules.items()))


def rows(text: str) -> list[dict[str, Any]]:
    """The rows of a catalogue file. One key a line, as all of ours are, is read directly: ``tomllib`` takes 0.1 s for the
    whole catalogue, which every run would pay. Anything else TOML can say goes through ``tomllib``."""
    found: list[dict[str, Any]] = []
    try:
        for line in text.splitlines():
            if line == "[[rule]]":
                found.append({})
            elif line and not line.startswith("#"):
                key, _, value = line.partition(" = ")
                plain = value[:1] == value[-1:] in ("'", '"') and value.count(value[0]) == 2 and "\\" not in value
                found[-1][key] = value[1:-1] if plain else json.loads(value)
    except (ValueError, IndexError):
        import tomllib

        listed: list[dict[str, Any]] = tomllib.loads(text)["rule"]
        return listed
    return found


@cache
def by_change() -> Mapping[tuple[str, str], Rule]:
    """Every rule by (address kind, change kind)."""
    table: dict[tuple[str, str], Rule] = {}
    for rule in catalogue().values():
        for key in ((kind, rule.change) for kind in rule.kinds):
            if key in table:
                raise ValueError(f"rules {table[key].id!r} and {rule.id!r} both claim {key}")
            table[key] = rule
    return table
