"""How long does the site take to build? `python tests/benchmarks/site_build.py`

The whole site, from the curriculum to the last page, as `make site` builds it, in a new folder
without a cache. Then the built pages are inspected: the largest lesson, resources from other hosts,
and every link.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import built_site as built

from hotloop.judge.device import device_name

ROOT = Path(__file__).resolve().parents[2]
RESULT = Path(__file__).parent / "results" / "site_build.json"
MOST_SECONDS, MOST_KB = 30.0, 300.0
GATHER = """
import sys
from pathlib import Path
from hotloop.site.pages import gather
gather(Path(sys.argv[1]))
"""
TREES = ("curriculum", "solutions", "exercises", "tests", "graders")


def main() -> None:
    """Build, inspect, and print."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    arguments = parser.parse_args()
    result = measure(arguments.repeats)
    text = json.dumps(result, indent=1)
    print(text)
    if arguments.keep:
        RESULT.write_text(f"{text}\n", encoding="utf-8")


def measure(repeats: int) -> dict[str, Any]:
    """Return the figures of `repeats` builds, and of the last one's pages."""
    with tempfile.TemporaryDirectory(prefix="site-build-") as folder:
        seconds = [build(Path(folder) / str(number)) for number in range(repeats)]
        site = Path(folder) / str(repeats - 1) / "build" / "site"
        pages = built.pages(site)
        lessons = [page for page in pages if page.name == "lesson.html"]
        largest = max(lessons, key=lambda page: page.stat().st_size)
        kb = largest.stat().st_size / 1e3
        return {
            "device": device_name(),
            "date": f"{datetime.now(UTC):%Y-%m-%d}",
            "python": platform.python_version(),
            "cores": len(os.sched_getaffinity(0)),
            "load_1min": round(os.getloadavg()[0], 2),
            "builds": repeats,
            "build_seconds": round(statistics.median(seconds), 1),
            "slowest_build_seconds": round(max(seconds), 1),
            "pages": len(pages),
            "megabytes": round(sum(p.stat().st_size for p in site.rglob("*")) / 1e6, 1),
            "largest_lesson": largest.parent.name,
            "largest_lesson_kb": round(kb, 1),
            "requests_to_other_hosts": len(built.foreign(site)),
            "links": sum(1 for _ in built.links(site)),
            "broken_links": len(built.broken_links(site)),
            "within_targets": max(seconds) <= MOST_SECONDS and kb <= MOST_KB,
        }


def build(root: Path) -> float:
    """Return the seconds for both steps, in a folder that looks like the clone."""
    root.mkdir()
    for tree in (*TREES, "site"):
        (root / tree).symlink_to(ROOT / tree)
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", GATHER, str(root)], check=True, cwd=root)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([*command, "-f", "build/mkdocs.yml"], check=True, cwd=root, env=environment)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
