"""What a server's log says went wrong."""

import re

_TABLE = re.compile(
    r"^\|\s*(?P<model>[^|]+?)\s*\|\s*(?P<version>\d+|-)\s*\|\s*(?P<state>.+?)\s*\|$"
)
_FAILED = re.compile(
    r"failed to load '(?P<model>[^']+)'(?: version (?P<version>\d+))?: (?P<why>.*)"
)
_POLL = re.compile(r"(?:Poll failed for model directory '(?P<model>[^']+)'): (?P<why>.*)")
_ERROR = re.compile(r"^E\d+ [\d:.]+ \d+ \S+\] (?P<what>.*)$")
_HARMLESS = ("CudaDriverHelper", "NVML", "DCGM")
"""What a server complains of wherever there is no GPU."""
_FRAME = re.compile(r"^At:$|^\s+\S+\(\d+\): ")
_MOST = 600


def failure(log: str) -> str:
    """Why the first model was not loaded, or else the first error; empty when there is none."""
    lines = log.splitlines()
    for number, line in enumerate(lines):
        found = _FAILED.search(line) or _POLL.search(line)
        if found is None:
            continue
        why = " ".join([found["why"], *_continued(lines[number + 1 :])])
        version = found.groupdict().get("version")
        which = f"{found['model']}, version {version}" if version else found["model"]
        return _shortened(f"{which}: {why}")
    for number, line in enumerate(lines):
        error = _ERROR.match(line)
        if error is not None and not any(name in line for name in _HARMLESS):
            return _shortened(" ".join([error["what"], *_continued(lines[number + 1 :])]))
    return ""


def states(log: str) -> dict[tuple[str, str], str]:
    """How each model's version stands, from the table that a server prints when it has loaded."""
    found = (_TABLE.match(line) for line in log.splitlines())
    return {(m["model"], m["version"]): m["state"] for m in found if m is not None}


def _continued(lines: list[str]) -> list[str]:
    """A Python error goes on over several lines, to the next entry of the log."""
    kept: list[str] = []
    for line in lines:
        if re.match(r"^[IWE]\d{4} |^\+-|^\s*$", line):
            break
        if not _FRAME.match(line):
            kept.append(line.strip())
    return kept


def _shortened(text: str) -> str:
    text = text.strip().strip('"').replace('\\"', '"')
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
