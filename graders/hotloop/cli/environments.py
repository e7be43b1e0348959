"""`hotloop doctor --install`: environments for packages that conflict with Hotloop's own."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require_local
from hotloop.core import own_environments
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.engines.serving import preflight, trial


SERVER = "tritonserver"
NAMES = (SERVER, *own_environments.names())


def install(name: str, folder: Path | None) -> CommandResult:
    """Make the environment called `name`; nothing if it is there. A server is tried, too.

    Raises UserError for an unknown name, and for the server's environment in another folder.
    """
    if name not in NAMES:
        raise UserError(f"There is no environment {name}; there are {', '.join(NAMES)}.")
    if name == SERVER:
        if folder is not None:
            raise UserError(f"--folder is not for {SERVER}: HOTLOOP_SERVING names its folder.")
        return _server()
    target = (folder or own_environments.default_folder(name)).absolute()
    command = own_environments.make(name, target, log)
    document = {"environment": str(target), "hotloop": str(command)}
    return CommandResult(document, Text(f"Grade with {command} check MODULE"))


def _server() -> CommandResult:
    require_local()
    from hotloop.engines.serving import environment, preflight, trial

    installed = environment.install(log)
    findings = preflight.examine()
    tried = trial.run(installed)
    document = {
        "environment": str(installed.root),
        "findings": [asdict(finding) for finding in findings],
        "trial": asdict(tried),
    }
    return CommandResult(
        document, *_findings(findings), _tried(tried), exit_code=1 if tried.failure else 0
    )


def _tried(tried: trial.RepositoryTrial) -> Text:
    if tried.failure:
        return Text(f"A server was tried, and failed: {tried.failure}")
    where = "in the sandbox" if tried.isolation != "none" else "without a sandbox"
    return Text(f"A server was tried {where}: ready after {tried.ready_s:.1f} s, and it answered.")


def _findings(findings: list[preflight.PreflightFinding]) -> list[Table | Text]:
    table = Table("", "state", "found")
    for finding in findings:
        fine = "ok" if finding.fine else "missing" if finding.needed else "limited"
        table.add_row(finding.name, fine, Text(finding.found, overflow="fold"))
    gaps = [f"  {f.name}: {f.fix}" for f in findings if not f.fine and f.fix]
    if not gaps:
        return [table]
    return [table, Text("\n".join(["To fix:", *gaps]), no_wrap=True, overflow="ignore")]
