"""Sends a folder's work to be judged by a class's service, or over ssh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hotloop import __version__
from hotloop.core.record import Record
from hotloop.learn.pack import work_files
from hotloop.learn.remote import resumable_request, ssh
from hotloop.learn.remote.client import Say, ServiceClient
from hotloop.learn.remote.request import WholeRequest, packed
from hotloop.tasks.variants import Variant


def request(
    folder: Path,
    module: str,
    tasks: Sequence[str],
    *,
    variant: Variant | None = None,
    given: Mapping[str, str] | None = None,
    seed: str = "",
    nsight: bool = False,
) -> WholeRequest:
    """Return the request: the folder's work files and what to judge of them."""
    return WholeRequest(
        hotloop=__version__,
        module=module,
        tasks=list(tasks),
        files=packed(work_files.read(folder)),
        variant=None if variant is None else variant.to_json(),
        given=dict(given or {}),
        seed=seed,
        nsight=nsight,
    )


def ask(url: str, whole: WholeRequest, say: Say) -> dict[str, Record]:
    """Return the records by task. Raises UserError if none arrive.

    A service is told the work only: what it is judged with comes from the course there. Ctrl-C
    also ends the judging there. url: https:// of a service that this user is logged in to, or
    ssh:// of a machine.
    """
    if url.startswith(("http:", "https:")):
        work = whole.of_learner()
        records = resumable_request.ask(ServiceClient.at(url), work, say)
    else:
        records = list(ssh.ask(ssh.SshHost.of(url), whole, say))
    return {record.task: record for record in records}
