"""The recorded runs of a module by file name, and whether each measured the present code."""

from typing import Literal

from hotloop import curriculum
from hotloop.core import paths
from hotloop.measured_code import measured_code
from hotloop.yaml_lines import load

Freshness = Literal["current", "older", "unknown"]
"""unknown: recorded before runs had a digest of the measured code."""

NOT_MEASURED_HERE = "not yet measured on this device"

_WORDS: dict[Freshness, str] = {
    "current": "It measured the code that is here today.",
    "older": "The code has changed since: this run is older than what it measured.",
    "unknown": (
        "It was recorded before runs carried a digest of the code that they measure, so that"
        " nothing compares it with today's."
    ),
}


def recorded(module: str) -> dict[str, curriculum.Run]:
    """Return the runs of `module` by file name without suffix, which names the device."""
    files = sorted((paths.curriculum() / module / "runs").glob("*.json"))
    return {path.stem: load(path, curriculum.Run) for path in files}


def devices() -> set[str]:
    """Return the names of all devices with a recorded run."""
    return {path.stem for path in paths.curriculum().glob("*/runs/*.json")}


def freshness(run: curriculum.Run) -> Freshness:
    """Return whether `run` measured the present code."""
    if run.code is None:
        return "unknown"
    return "current" if run.code == measured_code(run.module) else "older"


def circumstances(run: curriculum.Run) -> str:
    """Describe device, date, isolation, versions, and whether the run measured the present code."""
    versions = ", ".join(f"{name} {version}" for name, version in run.libraries.items())
    driver = f" driver {run.driver};" if run.driver else ""
    head = f"Measured on {run.device}, {run.date}, isolation {run.isolation};{driver} {versions}."
    return f"{head} {_WORDS[freshness(run)]}"
