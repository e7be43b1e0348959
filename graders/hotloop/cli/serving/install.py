"""`hotloop serving install`: install a real Triton Inference Server in its own environment."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import Answer, log, require_local

if TYPE_CHECKING:
    from hotloop.serving import preflight, trial


def run() -> Answer:
    """Install the server in an environment of its own; try it."""
    require_local()
    from hotloop.serving import environment, preflight, trial

    found = environment.install(log)
    findings = preflight.examine()
    tried = trial.run(found)
    document = {
        "environment": str(found.root),
        "findings": [asdict(finding) for finding in findings],
        "trial": asdict(tried),
    }
    return Answer(
        document, *_findings(findings), _tried(tried), exit_code=1 if tried.failure else 0
    )


def _tried(tried: trial.Trial) -> Text:
    if tried.failure:
        return Text(f"A server was tried, and failed: {tried.failure}")
    where = "in the sandbox" if tried.isolation != "none" else "without a sandbox"
    return Text(f"A server was tried {where}: ready after {tried.ready_s:.1f} s, and it answered.")


def _findings(findings: list[preflight.Finding]) -> list[Table | Text]:
    table = Table("", "state", "found")
    for finding in findings:
        fine = "ok" if finding.fine else "missing" if finding.needed else "limited"
        table.add_row(finding.name, fine, Text(finding.found, overflow="fold"))
    gaps = [f"  {f.name}: {f.fix}" for f in findings if not f.fine and f.fix]
    if not gaps:
        return [table]
    return [table, Text("\n".join(["To fix:", *gaps]), no_wrap=True, overflow="ignore")]
