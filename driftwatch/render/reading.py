"""A JSON report back into a Report, so that it can be rendered again without looking again."""

from __future__ import annotations

import json

from driftwatch.errors import ConfigError, Problem
from driftwatch.model import SCHEMA_VERSION, Report
from driftwatch.render import wire

_MAKE_ONE = "give a report that `driftwatch run --format json` wrote"


def parse(text: str, file: str = "report") -> Report:
    """The Report that ``render`` made ``text`` from. ``file`` only names the source in errors.

    Raises ConfigError naming what is wrong and where: not JSON (line and column), not a driftwatch report, a field that is
    missing or of the wrong kind, or a schema version this driftwatch does not know.
    """
    try:
        given = json.loads(text)
    except json.JSONDecodeError as error:
        raise _wrong(file, f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except (ValueError, RecursionError):
        raise _wrong(file, "nested too deeply, or with a number too long, to be a report") from None
    if not isinstance(given, dict) or "schema_version" not in given or "upstreams" not in given:
        raise _wrong(file, "not a driftwatch report: `schema_version` and `upstreams` are not there")
    version = given["schema_version"]
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ConfigError(
            [Problem(file, 0, 0, f"schema version {version!r}, this driftwatch reads {SCHEMA_VERSION}", _other(version))]
        )
    try:
        report: Report = wire.decode(Report, given)
    except wire.Wrong as error:
        raise _wrong(file, f"not a whole driftwatch report: {error}") from None
    return report


def _other(version: object) -> str:
    newer = isinstance(version, int) and version > SCHEMA_VERSION
    return "update driftwatch" if newer else "make the report again with `driftwatch run`"


def _wrong(file: str, message: str, line: int = 0, column: int = 0) -> ConfigError:
    return ConfigError([Problem(file, line, column, message, _MAKE_ONE)])
