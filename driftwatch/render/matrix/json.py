"""The matrix as JSON, described by ``schemas/matrix-1.json``, and back."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, cast

from driftwatch.errors import ConfigError, Problem
from driftwatch.model import Json
from driftwatch.model.matrix import SCHEMA_VERSION, Matrix
from driftwatch.render import wire
from driftwatch.render.json import dump
from driftwatch.render.matrix import table
from driftwatch.render.messages import message


def render(matrix: Matrix) -> str:
    """Every field of the model, so that ``parse`` gives the same matrix back; ``headline``, ``word`` and ``message`` are
    derived."""
    whole = cast("dict[str, Json]", wire.encode(matrix))
    whole["headline"] = table.headline(matrix)
    for row, cell in zip(matrix.cells, cast("list[dict[str, Json]]", whole["cells"]), strict=True):
        cell["word"] = table.word(row)
    for move, told in zip(matrix.moves, cast("list[dict[str, Json]]", whole["moves"]), strict=True):
        for finding, given in zip(move.findings, cast("list[dict[str, Json]]", told["findings"]), strict=True):
            given["message"] = message(finding)
    for finding, given in zip(matrix.news, cast("list[dict[str, Json]]", whole["news"]), strict=True):
        given["message"] = message(finding)
    return dump(whole, indent=1)


def schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of what ``render`` gives."""
    text = files("driftwatch.render").joinpath(f"schemas/matrix-{SCHEMA_VERSION}.json").read_text("utf-8")
    return cast("dict[str, Any]", json.loads(text))


def parse(text: str, file: str) -> Matrix:
    """The matrix, or part of one, that ``text`` is. ``file`` names it in errors. Raises ConfigError saying what is wrong."""
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise _wrong(file, f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except (ValueError, RecursionError):
        raise _wrong(file, "nested too deeply, or with a number too long, to be a matrix") from None
    if not isinstance(given, dict) or not {"schema_version", "cells", "hosts", "probes"} <= given.keys():
        raise _wrong(file, "not a matrix of probes: `schema_version`, `hosts`, `probes` and `cells` must be there")
    if given["schema_version"] != SCHEMA_VERSION or isinstance(given["schema_version"], bool):
        raise _wrong(file, f"schema version {given['schema_version']!r}, this driftwatch reads {SCHEMA_VERSION}")
    try:
        matrix: Matrix = wire.decode(Matrix, given)
    except wire.Wrong as error:
        raise _wrong(file, f"not a whole matrix: {error}") from None
    if matrix.shard and not 1 <= matrix.shard.index <= matrix.shard.of:
        raise _wrong(file, f"there is no shard {matrix.shard.index} of {matrix.shard.of}")
    if wrong := _plan(matrix):
        raise _wrong(file, wrong)
    return matrix


def _plan(matrix: Matrix) -> str:
    """What hosts, probes and cells say against each other, in words; "" for nothing."""
    hosts, probes = [host.version for host in matrix.hosts], [probe.id for probe in matrix.probes]
    cells = [(cell.version, cell.id) for cell in matrix.cells]
    if not hosts or not probes:
        return "a matrix without hosts or probes"
    for what, listed in (("host", hosts), ("probe", probes), ("cell", [" ".join(cell) for cell in cells])):
        if len(set(listed)) < len(listed):
            return f"{what} {next(each for each in listed if listed.count(each) > 1)!r} is there twice"
    strange = [cell for cell in cells if cell[0] not in hosts or cell[1] not in probes]
    return f"a cell is of {strange[0]!r}, which is no host and probe of it" if strange else ""


def _wrong(file: str, message: str, line: int = 0, column: int = 0) -> ConfigError:
    return ConfigError([Problem(file, line, column, message, "give what `driftwatch probe --format json` wrote")])
