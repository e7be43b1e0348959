"""How long it takes a newcomer from the README's first line to the first verdict.

    python tests/benchmarks/readme_first_verdict.py

In a new clone of this tree's last commit, in a temporary folder: the commands of the README's part
“Your first verdict”, as they are written, without any cache. Between two runs of `hotloop check` a
solution of the task is written into the file, so the time excludes reading the README and writing
code. Commands that change the system or wait for a person (`sudo`, `hotloop lab`) are not run;
`skipped` lists them.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from hotloop.judge.device import device_name
from hotloop.tasks.render import solved_in_part

RESULTS = Path(__file__).parent / "results"
ROOT = RESULTS.parents[2]
PARTS = ("Your first verdict",)
MODULE, TASK, FILE = "first_kernels", "bias_gelu", "kernels.cu"
CHECK = f"hotloop check {MODULE}.{TASK}"
NOT_RUN = ("sudo ", "hotloop lab ")
LIMIT_S = 3600


def main() -> None:
    """Measure and print; with --keep, write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-newcomer-") as folder:
        found = measured(Path(folder))
    print(json.dumps(found, indent=1))
    if options.keep:
        path = RESULTS / "readme_first_verdict.json"
        path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measured(folder: Path) -> dict[str, object]:
    """Return the seconds of each command. Raises RuntimeError if one fails or says otherwise."""
    load = os.getloadavg()[0]
    clone = folder / "hotloop"
    steps: list[dict[str, object]] = [
        timed(f"git clone . {clone.name}", ROOT, environment(folder), f"git clone -q . {clone}")[0]
    ]
    text = (clone / "README.md").read_text(encoding="utf-8")
    activated = ""
    said: list[str] = []
    for command in commands(text):
        if command.startswith(NOT_RUN):
            continue
        whole = f"{activated}{command}"
        if ". .venv/bin/activate" in command:
            activated = ". .venv/bin/activate && "
        step, output = timed(command, clone, environment(folder), whole)
        steps.append(step)
        if command == CHECK:
            said.append(output)
    solution = solved_in_part(MODULE, [TASK])[FILE]
    (clone / MODULE / FILE).write_bytes(solution)
    step, output = timed(f"{CHECK} (solved)", clone, environment(folder), f"{activated}{CHECK}")
    steps.append(step)
    if not said or "not started" not in said[0] or "wrong" in output:
        raise RuntimeError(f"the verdicts are unexpected:\n{said}\n{output}")
    size = subprocess.run(
        ["du", "-sm", str(clone / ".venv")], check=True, capture_output=True, text=True
    )
    total = sum(float(str(step["seconds"])) for step in steps)
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "device": device_name(),
        "load_1min_before": round(load, 1),
        "load_1min_after": round(os.getloadavg()[0], 1),
        "minutes": round(total / 60, 1),
        "environment_mb": int(size.stdout.split()[0]),
        "skipped": [each for each in commands(text) if each.startswith(NOT_RUN)],
        "rows": steps,
    }


def commands(readme: str) -> list[str]:
    """Return the README's commands in their order, without comments."""
    found: list[str] = []
    for part in PARTS:
        _, _, text = readme.partition(f"\n## {part}\n")
        blocks = re.findall(r"```bash\n(.*?)```", text.partition("\n## ")[0], re.DOTALL)
        if not blocks:
            raise RuntimeError(f"the README has no commands under {part!r}")
        lines = [line.partition(" #")[0].strip() for block in blocks for line in block.split("\n")]
        found += [line for line in lines if line]
    return found


def environment(folder: Path) -> Mapping[str, str]:
    """Return a newcomer's environment: nothing of Hotloop, of Python or in pip's cache."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("HOTLOOP", "PYTHON", "VIRTUAL_ENV"))
    }
    own = {name: str(folder) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    own["PIP_CACHE_DIR"] = str(folder / "pip")
    own["PATH"] = os.pathsep.join(
        each for each in kept["PATH"].split(os.pathsep) if not Path(each).is_relative_to(sys.prefix)
    )
    return kept | own


def timed(
    name: str, where: Path, variables: Mapping[str, str], command: str
) -> tuple[dict[str, object], str]:
    """Run a command; return its row and its output. Raises RuntimeError if it fails.

    `hotloop check` fails as long as the task is not solved, and may.
    """
    began = time.monotonic()
    done = subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=where,
        env=dict(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
    )
    seconds = round(time.monotonic() - began, 1)
    if done.returncode != 0 and not name.startswith(CHECK):
        raise RuntimeError(f"{name} ended with {done.returncode}:\n{done.stdout[-2000:]}")
    return {"command": name, "seconds": seconds}, done.stdout


if __name__ == "__main__":
    main()
