"""The matrix as GitHub-flavoured Markdown: the table, what moved, then every probe with its facts over the hosts."""

from __future__ import annotations

from collections.abc import Iterator

from driftwatch.model import ProbeRow
from driftwatch.model.matrix import Matrix, Move
from driftwatch.render import clean
from driftwatch.render.markdown import code, escape, say, summary_text, told, value
from driftwatch.render.matrix import table

ICONS = {
    "holds": "✅",
    "broken": "❌",
    "broken as expected": "🟡",
    "absent": "➖",
    "absent as expected": "🟡",
    "holds unexpectedly": "🎉",
    "flaky": "🎲",
    "unverified": "❔",
    "not asked": "",
}


def render(matrix: Matrix) -> str:
    return clean.encodable("\n".join(_all(matrix)).strip() + "\n")


def _all(matrix: Matrix) -> Iterator[str]:
    lines = table.lines(matrix)
    yield f"# {escape(matrix.host)}: probes and hosts\n\n{escape(table.headline(matrix))}\n"
    yield f"| probe | {' | '.join(escape(host.version) for host in matrix.hosts)} |"
    yield f"|---|{'---|' * len(matrix.hosts)}"
    for number, line in enumerate(lines, 1):
        yield f"| [{escape(line.probe.id)}](#p{number}) | {' | '.join(_cell(cell) for cell in line.cells)} |"
    yield ""
    for word, meaning in table.used(matrix).items():
        yield f"- {ICONS[word]} {word}: {meaning}"
    if any(cell.unstable for cell in matrix.cells):
        yield "- \\*: a fact varies from run to run of this very host, so it counts as no drift"
    for finding in matrix.news:
        yield f"- news: {say(finding)}"
    if matrix.moves:
        yield "\n## What moved from each host to the next"
        for move in matrix.moves:
            yield from _move(move)
    yield "\n## Every probe\n\nA fact's values stand beside the hosts that showed them."
    for number, line in enumerate(lines, 1):
        yield from _line(number, line)


def _cell(row: ProbeRow | None) -> str:
    word = table.word(row)
    shown = f"{ICONS[word]} {word}".strip()
    return shown + (" \\*" if row and row.unstable else "")


def _move(move: Move) -> Iterator[str]:
    found = table.differences(move)
    blind = f"; {len(move.unseen)} could not be compared" if move.unseen else ""
    yield f"\n### {escape(move.before)} → {escape(move.after)}\n"
    yield f"{len(found) or 'No'} difference{'' if len(found) == 1 else 's'}{blind}.\n"
    for each in found:
        yield f"- {code(each.probe)} {code(each.fact)}: {told(clean.line(each.text, 600))}"


def _line(number: int, line: table.Line) -> Iterator[str]:
    yield f'\n<a id="p{number}"></a>\n\n### {escape(line.probe.id)}\n\n{told(line.probe.title)}\n'
    for cell in line.cells:
        if cell and (remarks := list(table.remarks(cell))):
            yield f"- {escape(cell.version)}: {_cell(cell)}: {told(clean.line('; '.join(remarks), 1200))}"
    facts = table.spans(line)
    if facts:
        yield f"\n<details><summary>{summary_text(f'{len(facts)} facts')}</summary>\n"
        for name, spans in facts.items():
            values = "; ".join(f"{value(span.value)} ({escape(span.hosts)}{', unstable' * span.unstable})" for span in spans)
            yield f"- {code(name)}: {values}"
        yield "\n</details>"
