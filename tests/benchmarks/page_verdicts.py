"""How soon does a page give a verdict? Of a lesson's kernel, of a first program, of an edit.

    make site
    npm install --prefix build/puppeteer puppeteer-core@25
    python tests/benchmarks/page_verdicts.py --keep

Each browser starts with nothing kept. Prints seconds, CPU seconds of the browser, megabytes that
the server sent, and the browser's largest memory, for Chromium and Firefox; one that is not
installed is named. `--keep` writes tests/benchmarks/results/page_verdicts.json.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))

from static_server import served

from hotloop.judge.device import device_name

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "site"
MODULES = ROOT / "build" / "puppeteer" / "node_modules"
SCRIPT = Path(__file__).with_suffix(".mjs")
RESULT = Path(__file__).parent / "results" / "page_verdicts.json"
BROWSERS = {"chrome": ("chromium", "chrome"), "firefox": ("firefox-esr", "firefox")}
"""Browsers as puppeteer calls them, with the names of their programs."""


@dataclass
class Step:
    """One wait of a reader. cpu_s: of the browser's processes. sent_mb: by the server."""

    step: str
    wall_s: float
    cpu_s: float
    sent_mb: float


class Watch(threading.Thread):
    """Looks at the processes below this one. most: bytes of memory. cpu_s: seconds, in all."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.most = 0
        self._cpu: dict[int, float] = {}
        self.start()

    @property
    def cpu_s(self) -> float:
        """What processes have taken, those that have ended too."""
        self._look()
        return sum(self._cpu.values())

    def run(self) -> None:
        """Look ten times a second."""
        while True:
            self._look()
            time.sleep(0.1)

    def _look(self) -> None:
        memory = 0
        for process in psutil.Process().children(recursive=True):
            try:
                memory += process.memory_info().rss
                times = process.cpu_times()
            except psutil.Error:
                continue
            self._cpu[process.pid] = times.user + times.system
        self.most = max(self.most, memory)


def measured(browser: str, program: str, watch: Watch) -> Iterator[Step]:
    """Yield what each step took."""
    with tempfile.TemporaryDirectory() as folder, served(SITE, Path(folder)) as server:
        command = ["node", str(SCRIPT), str(MODULES), browser, program, server.address]
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stdout is not None
            sent, cpu, start = 0, 0.0, 0.0
            for line in process.stdout:
                document = json.loads(line)
                if "begins" in document:
                    sent, cpu, start = server.sent, watch.cpu_s, time.monotonic()
                    continue
                yield Step(
                    f"{browser}: {document['ended']}",
                    round(time.monotonic() - start, 2),
                    round(watch.cpu_s - cpu, 2),
                    round((server.sent - sent) / 1e6, 1),
                )
        if process.returncode:
            sys.exit(f"{browser}: {SCRIPT.name} ended with status {process.returncode}")


def main() -> None:
    """Measure and print; with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    if not (SITE / "playground.html").is_file():
        sys.exit(f"{SITE} is not built: make site")
    if not MODULES.is_dir():
        sys.exit(f"{MODULES} is missing: npm install --prefix build/puppeteer puppeteer-core@25")
    steps: list[Step] = []
    memory: dict[str, int] = {}
    missing: list[str] = []
    for browser, names in BROWSERS.items():
        program = next((path for name in names if (path := shutil.which(name))), None)
        if program is None:
            missing.append(f"{browser}: none of {', '.join(names)} is installed")
            continue
        watch = Watch()
        for step in measured(browser, program, watch):
            steps.append(step)
            print(f"{step.step}: {step.wall_s} s", file=sys.stderr, flush=True)
        memory[browser] = round(watch.most / 1e6)
    document = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "rows": [asdict(step) for step in steps],
        **{f"{name}_memory_mb": most for name, most in memory.items()},
    }
    if missing:
        document["not_measured"] = ", ".join(missing)
    if arguments.keep:
        RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(document, indent=1) if arguments.json else text_of(document))


def text_of(document: dict[str, Any]) -> str:
    """Return the table for people."""
    lines = [f"{'step':56}{'wall s':>8}{'CPU s':>8}{'MB sent':>9}"]
    lines += [
        f"{row['step']:56}{row['wall_s']:>8}{row['cpu_s']:>8}{row['sent_mb']:>9}"
        for row in document["rows"]
    ]
    lines += [f"{name}: {document[name]}" for name in document if name.endswith("memory_mb")]
    return "\n".join([*lines, document.get("not_measured", "")]).strip()


if __name__ == "__main__":
    main()
