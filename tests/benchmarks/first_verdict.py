"""How long it takes a learner from `pip install` to the first verdict of a class's service.

    python tests/benchmarks/first_verdict.py

In a new virtual environment: `pip install` of this tree's wheel with its dependencies, from pip's
configured index, then `hotloop login`, `start` and `check`. The service is on this machine;
`server_s` is the time from its command until it answered. `learners_cpu_s` is the CPU time of the
learner's commands and of making the virtual environment.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from serve_load import Service

from hotloop.judge.device import device_name
from hotloop.service.course import people
from hotloop.service.tables import opened
from hotloop.tasks.render import submission

RESULTS = Path(__file__).parent / "results"
ROOT = RESULTS.parents[2]
ASKED_S = 60.0
MODULE, TASK = "ssa_passes", "fold"


def main() -> None:
    """Measure and print; exit code 1 if it takes longer than required."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-first-") as folder:
        found = measured(Path(folder))
    print(json.dumps(found, indent=1))
    if options.keep:
        (RESULTS / "first_verdict.json").write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(found["as_asked"] is False)


def measured(folder: Path) -> dict[str, object]:
    """Return the seconds of each step."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, check=True, cwd=ROOT, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    began = time.monotonic()
    service = Service(folder, 0)
    service.real(1)
    server_s = time.monotonic() - began
    engine = opened(service.folder)
    link = f"http://127.0.0.1:{service.port}/join/{people.invite(engine, 'ada')}"
    engine.dispose()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        took = learner(folder, wheel, link)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    finally:
        service.kill()
    total = sum(took.values())
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "device": device_name(),
        "load_1min": round(os.getloadavg()[0], 1),
        "server_s": round(server_s, 1),
        **{f"{step}_s": round(seconds, 1) for step, seconds in took.items()},
        "total_s": round(total, 1),
        "learners_cpu_s": round(_cpu_s(after) - _cpu_s(before), 1),
        "asked_s": ASKED_S,
        "as_asked": total <= ASKED_S,
    }


def _cpu_s(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def learner(
    folder: Path,
    wheel: Path,
    link: str,
    host: Sequence[str] = (),
    variables: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Run a learner's steps and return their seconds; the task is solved in no time in between.

    host: command prefix that runs a command on the learner's machine, if that is another one; the
        packages are installed on this one in any case.
    """
    own, work = folder / "python", folder / MODULE
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("HOTLOOP", "PYTHON"))}
    environment |= {"XDG_CONFIG_HOME": str(folder), "XDG_DATA_HOME": str(folder)}
    environment |= variables or {}
    hotloop = str(own / "bin" / "hotloop")
    steps = {
        "install": [str(own / "bin" / "pip"), "install", "--quiet", str(wheel)],
        "login": [hotloop, "login", link],
        "start": [hotloop, "start", MODULE, str(work)],
        "check": [hotloop, "check", f"{MODULE}.{TASK}", str(work)],
    }
    venv.create(own, with_pip=True)
    took: dict[str, float] = {}
    for step, command in steps.items():
        where = [] if step == "install" else host
        began = time.monotonic()
        done = subprocess.run(
            [*where, *command], check=True, env=environment, capture_output=True, text=True
        )
        took[step] = time.monotonic() - began
        if step == "start":
            for name, content in submission(MODULE).items():
                (work / name).write_bytes(content)
    assert "passed" in done.stdout, done.stdout
    return took


if __name__ == "__main__":
    main()
