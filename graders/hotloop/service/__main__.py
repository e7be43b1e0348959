"""`python -m hotloop.service`: judge the request on standard input, in this machine's sandbox.

It answers on standard output, one JSON document per line: `{"progress": text}` while it works,
`{"record": record}` for each task, `{"error": text}` if it fails. Anything else printed here, also
by libraries and child processes, goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import IO, Any

from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.judge.files import lay_out
from hotloop.learn.remote.request import MAX_BYTES, WholeRequest, parsed
from hotloop.sandbox.confinement import SandboxUnavailable
from hotloop.sandbox.scratch import scratch
from hotloop.service.judging import judged, require_known


def main() -> int:
    """Return the exit code: 0 if every task has a record, 2 after an error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        request = parsed(WholeRequest, sys.stdin.buffer.read(MAX_BYTES + 1))
        require_known(request)
        with scratch() as folder:
            lay_out(request.contents(), folder)
            with JudgeProcess() as judge:
                for record in judged(
                    request, folder, judge, lambda text: _say(answers, progress=text)
                ):
                    _say(answers, record=record.to_json())
    except (UserError, SandboxUnavailable, ValueError) as error:
        _say(answers, error=str(error))
        return 2
    return 0


def _say(answers: IO[str], **fields: Any) -> None:
    """Write one JSON line and flush it.

    If the asking process is gone, the write fails, so the judge ends with this process.
    """
    print(json.dumps(fields), file=answers, flush=True)


if __name__ == "__main__":
    sys.exit(main())
