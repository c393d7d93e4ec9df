"""Which errors a version is to blame for. Pure: what the compiler said at the base and at a version in, a row out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from driftwatch.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_UNVERIFIED
from driftwatch.model import Outcome
from driftwatch.model.typecheck import TypecheckRow, TypeProblem


def row(
    version: str,
    packages: Mapping[str, str],
    standing: Sequence[TypeProblem],
    found: Sequence[TypeProblem],
    *,
    elsewhere: int = 0,
    notes: Sequence[str] = (),
) -> TypecheckRow:
    """The source is the same for both, so an error is the same when place, code and text are; types told in a text may be spelled
    anew by a version, so one at the same place with the same code is the same, too."""
    known, here = {_same(one) for one in standing}, {_same(one) for one in found}
    new = tuple(one for one in found if _same(one) not in known)
    gone = tuple(one for one in standing if _same(one) not in here)
    return TypecheckRow(version, "fails" if new else "compiles", dict(packages), new, gone, elsewhere, tuple(notes))


def _same(one: TypeProblem) -> tuple[str, int, int, str]:
    return one.file, one.line, one.column, one.code


def outcome(rows: Sequence[TypecheckRow]) -> Outcome:
    """``broken`` when any version fails, ``unverified`` when one could not be told or there is none."""
    words = {row.outcome for row in rows}
    if "fails" in words:
        return "broken"
    if "unverified" in words or not rows:
        return "unverified"
    return "drifted" if any(row.gone for row in rows) else "compatible"


def exit_code(outcome: Outcome) -> int:
    return {"broken": EXIT_FINDINGS, "unverified": EXIT_UNVERIFIED}.get(outcome, EXIT_CLEAN)
