"""The matrix for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from driftwatch.model.matrix import Matrix, Move
from driftwatch.render import clean
from driftwatch.render.matrix import table
from driftwatch.render.messages import message
from driftwatch.render.quiet import quiet


def render(matrix: Matrix) -> str:
    """Probes down, hosts across; under it why anything does not hold, and what moved from each host to the next."""
    return clean.encodable(quiet("\n".join(_all(matrix)) + "\n"))


def _all(matrix: Matrix) -> Iterator[str]:
    lines = table.lines(matrix)
    versions = [clean.line(host.version, 40) for host in matrix.hosts]
    words = [[table.word(cell) + ("*" if cell and cell.unstable else "") for cell in line.cells] for line in lines]
    wide = max([len("probe"), *(len(line.probe.id) for line in lines)])
    columns = [max(len(version), *(len(row[place]) for row in words)) for place, version in enumerate(versions)] if words else []
    yield _row("probe", versions, wide, columns)
    for line, row in zip(lines, words, strict=True):
        yield _row(clean.line(line.probe.id, 80), row, wide, columns)
    for who, where, remark in table.notes(matrix):
        yield f"\n{clean.line(who, 300)} on {clean.line(where, 80)}: {clean.line(remark, 2000)}"
    for move in matrix.moves:
        yield from _move(move)
    for finding in matrix.news:
        yield f"\nnews: {message(finding)}"
    yield f"\n{clean.line(table.headline(matrix))}"


def _row(first: str, rest: Sequence[str], wide: int, columns: Sequence[int]) -> str:
    return "  ".join([f"{first:{wide}}", *(f"{cell:{width}}" for cell, width in zip(rest, columns, strict=True))]).rstrip()


def _move(move: Move) -> Iterator[str]:
    found = table.differences(move)
    told = f"{len(found)} differences" if found else "nothing moved"
    blind = f", {len(move.unseen)} could not be compared" if move.unseen else ""
    yield f"\n{clean.line(move.before)} -> {clean.line(move.after)}: {told}{blind}"
    for each in found:
        yield f"  {clean.line(each.probe)} {clean.line(each.fact)}: {clean.line(each.text, 400)}"
