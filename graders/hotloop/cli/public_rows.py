"""Results of submissions to public problems as the answer of a command."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, first
from hotloop.core.verdict import Verdict
from hotloop.verdicts.words import is_failure

if TYPE_CHECKING:
    from hotloop.author.external.suite import SuiteResult


_OWN = {Verdict.PASSED.value: "yes", Verdict.WRONG_ANSWER.value: "no"}


def answer(rows: list[SuiteResult], everything: bool) -> CommandResult:
    """Return the rows and their summary. everything: list all, not a screen of them."""
    from hotloop.author.external import suite

    totals = suite.summary(rows)
    document: dict[str, Any] = {"submissions": [asdict(row) for row in rows], **totals}
    heads = ("problem", "submission", "verdict", "own", "× bytes", "× eager", "× compiled", "limit")
    table = Table(*heads, "sentence")
    shown, rest = first(rows, everything)
    for row in shown:
        table.add_row(
            row.problem,
            Path(row.submission).name,
            row.verdict,
            _OWN.get(row.own, "–"),
            "–" if row.moves is None else f"{row.moves:.2f}",
            _ratio(row.ratio, row.ratio_interval),
            _ratio(row.compiled_ratio, row.compiled_interval),
            "–" if row.limit_share is None else f"{100 * row.limit_share:.0f} %",
            Text(row.sentence + (f" {row.own_sentence}" if _OWN.get(row.own) == "no" else "")),
        )
    pending = len(rows) - totals["judged"]
    lines = [Text(f"{totals['right']} of {len(rows)} right: {suite.share(rows)}")]
    if pending:
        lines.append(Text(f"{pending} not judged: neither right nor wrong; see the sentences."))
    if totals["own"] or totals["not_own"]:
        theirs = f"{totals['own']} of the right ones in kernels of their own"
        lines.append(Text(f"{theirs}; {totals['not_own']} not; of the others it cannot be told."))
    for p in suite.FAST if totals["speed_measured"] else ():
        against = f"eager {suite.fast(rows, p)}, compiled {suite.fast(rows, p, compiled=True)}"
        lines.append(Text(f"fast_{p:g}: {against}"))
    if not totals["speed_measured"]:
        why = next((row.speed for row in rows if row.right), "none is right")
        lines.append(Text(f"Speed: {why}"))
    failed = any(is_failure(Verdict(row.verdict)) for row in rows)
    return CommandResult(document, table, *rest, *lines, exit_code=int(failed))


def _ratio(ratio: float | None, interval: tuple[float, float] | None) -> str:
    if ratio is None or interval is None:
        return "–"
    return f"{ratio:.2f} ({interval[0]:.2f} to {interval[1]:.2f})"
