"""`python -m hotloop.remote`: judges what standard input asks for, in this machine's sandbox.

It answers on standard output, a JSON document a line: `{"progress": text}` while it works,
`{"record": record}` for each task, `{"error": text}` where it cannot. What else is printed here,
by libraries and child processes too, goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.remote.judging import judged, require_known
from hotloop.remote.request import MAX_BYTES, Request, parsed
from hotloop.sandbox.confinement import SandboxUnavailable
from hotloop.sandbox.scratch import scratch


def main() -> int:
    """The exit code: 0 when every task has a record."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        asked = parsed(Request, sys.stdin.buffer.read(MAX_BYTES + 1))
        require_known(asked)
        with scratch() as folder:
            lay_out(asked.contents(), folder)
            with JudgeProcess() as judge:
                for record in judged(
                    asked, folder, judge, lambda text: _say(answers, progress=text)
                ):
                    _say(answers, record=record.to_json())
    except (UserError, SandboxUnavailable, ValueError) as error:
        _say(answers, error=str(error))
        return 2
    return 0


def _say(answers: IO[str], **said: Any) -> None:
    """One line at once. Who asked may be gone: the judge then ends with this process."""
    print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
