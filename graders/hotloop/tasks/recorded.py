"""A module's recorded runs, by file name, and whether they measured today's code."""

from collections import Counter
from typing import Literal

from hotloop.core import paths
from hotloop.core.yaml_lines import load
from hotloop.tasks import curriculum
from hotloop.tasks.measured_code import measured_code

Freshness = Literal["current", "older", "unknown"]
"""unknown: recorded before runs contained a digest of the measured code."""

NOT_MEASURED_HERE = "not yet measured on this device"

_WORDS: dict[Freshness, str] = {
    "current": "It measured the code that is here today.",
    "older": "The code has changed since: this run is older than what it measured.",
    "unknown": (
        "It was recorded before runs carried a digest of the code that they measure, so that"
        " nothing compares it with today's."
    ),
}


def recorded(module: str) -> dict[str, curriculum.RecordedRun]:
    """Return the runs of `module`, by file name without suffix, which names the device."""
    files = sorted((paths.curriculum() / module / "runs").glob("*.json"))
    return {path.stem: load(path, curriculum.RecordedRun) for path in files}


def devices() -> set[str]:
    """Return the names of all devices with recorded runs."""
    return {path.stem for path in paths.curriculum().glob("*/runs/*.json")}


def freshness(run: curriculum.RecordedRun) -> Freshness:
    """Return whether the code is still the code that `run` measured."""
    if run.code is None:
        return "unknown"
    return "current" if run.code == measured_code(run.module) else "older"


def circumstances(run: curriculum.RecordedRun) -> str:
    """Describe the run: device, date, isolation, versions, and whether the code has changed."""
    versions = ", ".join(f"{name} {version}" for name, version in run.libraries.items())
    driver = f" driver {run.driver};" if run.driver else ""
    head = f"Measured on {run.device}, {run.date}, isolation {run.isolation};{driver} {versions}."
    return f"{head} {_WORDS[freshness(run)]}{_kept_of_earlier(run)}"


def _kept_of_earlier(run: curriculum.RecordedRun) -> str:
    kept = Counter(m.earlier for m in run.measurements if m.earlier is not None)
    return "".join(
        f" {kept[index]} of the verdicts are of {by.date}, and not measured again since."
        for index, by in enumerate(run.earlier)
        if kept[index]
    )
