"""`python -m hotloop.remote`: judges what standard input asks for, in this machine's sandbox.

It answers on standard output, a JSON document a line: `{"progress": text}` while it works,
`{"record": record}` for each task, `{"error": text}` where it cannot. What else is printed here,
by libraries and child processes too, goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from hotloop import __version__, curriculum
from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.local_judging import judge_folder
from hotloop.remote.request import MAX_BYTES, Request
from hotloop.sandbox.confinement import SandboxUnavailable
from hotloop.sandbox.scratch import scratch
from hotloop.variants import Variant


def main() -> int:
    """The exit code: 0 when every task has a record."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        asked = _read(sys.stdin.buffer)
        with scratch() as folder:
            lay_out(asked.contents(), folder)
            _judge(asked, folder, answers)
    except (UserError, SandboxUnavailable, ValueError) as error:
        _say(answers, error=str(error))
        return 2
    return 0


def _read(stream: IO[bytes]) -> Request:
    """UserError for what is none, of another version, or of a task that is not here."""
    data = stream.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UserError(f"The request is longer than {MAX_BYTES >> 20} MiB: leave large files out.")
    try:
        asked = Request.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the request"
        raise UserError(f"{where}: {first['msg']}") from None
    if asked.hotloop != __version__:
        raise UserError(
            f"Hotloop {__version__} is installed there, and {asked.hotloop} asks: install the same "
            "release on both."
        )
    known = {m.id: [t.id for t in m.tasks if t.kind == "code"] for m in curriculum.modules()}
    unknown = [task for task in asked.tasks if task not in known.get(asked.module, [])]
    if unknown:
        raise UserError(f"There is no {asked.module}.{unknown[0]} that can be judged.")
    return asked


def _judge(asked: Request, folder: Path, answers: IO[str]) -> None:
    variant = None if asked.variant is None else Variant.from_json(asked.variant)
    with JudgeProcess() as judge:
        for task in asked.tasks:
            records = judge_folder(
                folder,
                asked.module,
                [task],
                judge=judge,
                on_progress=lambda text: _say(answers, progress=text),
                variant=variant,
                given=asked.given,
                seed=asked.seed,
                nsight=asked.nsight,
            )
            _say(answers, record=records[task].to_json())


def _say(answers: IO[str], **said: Any) -> None:
    """One line at once. Who asked may be gone: the judge then ends with this process."""
    print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
