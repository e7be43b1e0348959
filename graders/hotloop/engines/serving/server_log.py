"""Finds the cause of a failure in a server's log."""

import re

_FAILED = re.compile(
    r"failed to load '(?P<model>[^']+)'(?: version (?P<version>\d+))?: (?P<why>.*)"
)
_POLL = re.compile(r"(?:Poll failed for model directory '(?P<model>[^']+)'): (?P<why>.*)")
_ERROR = re.compile(r"^E\d+ [\d:.]+ \d+ \S+\] (?P<what>.*)$")
_HARMLESS = ("CudaDriverHelper", "NVML", "DCGM")
"""Errors that a server logs on any machine without a GPU."""
_FRAME = re.compile(r"^At:$|^\s+\S+\(\d+\): ")
_MOST = 600


def failure(log: str) -> str:
    """Return why the first model failed to load, else the first error; "" if there is none."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        match = _FAILED.search(line) or _POLL.search(line)
        if match is None:
            continue
        why = " ".join([match["why"], *_continued(lines[number + 1 :])])
        version = match.groupdict().get("version")
        which = f"{match['model']}, version {version}" if version else match["model"]
        return _shortened(f"{which}: {why}")
    for number, line in enumerate(lines):
        error = _ERROR.match(line)
        if error is not None and not any(name in line for name in _HARMLESS):
            return _shortened(" ".join([error["what"], *_continued(lines[number + 1 :])]))
    return ""


def _continued(lines: list[str]) -> list[str]:
    """Return the following lines of a Python error, up to the next log entry."""
    message: list[str] = []
    for line in lines:
        if re.match(r"^[IWE]\d{4} |^\+-|^\s*$", line):
            break
        if not _FRAME.match(line):
            message.append(line.strip())
    return message


def _shortened(text: str) -> str:
    text = text.strip().strip('"').replace('\\"', '"')
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
