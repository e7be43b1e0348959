"""Says in one line why nbgrader could not do something; its log has hundreds."""

import logging
import re
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

_EXCEPTION = re.compile(r"^(?:    )?([A-Za-z_][\w.]*): (\S.*)$", re.MULTILINE)
"""The last line of a traceback, also in nbgrader's log, which indents it."""


def reason(result: Mapping[str, Any]) -> str:
    """Return the exception that stopped an action of nbgrader's API, without its traceback.

    result: what the action returned.
    """
    log, error = str(result.get("log", "")), str(result.get("error", ""))
    # The log has what nbgrader met; the error is often nbgrader's "see the above traceback".
    for text in (log, error):
        if met := _EXCEPTION.findall(text):
            name, sentence = met[-1]
            return f"{name.rpartition('.')[2]}: {sentence}"
    lines = f"{log}\n{error}".split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "nbgrader failed")


@contextmanager
def captured(log: logging.Logger) -> Generator[None]:
    """Keep nbgrader's log out of this process's, since the result of an action has it.

    It warns that it replaces what it was told to replace, and prints tracebacks.
    """
    propagates = log.propagate
    log.propagate = False
    try:
        yield
    finally:
        log.propagate = propagates
