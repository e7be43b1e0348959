"""How long does a correctness-only `check` take in a warm notebook? The requirement is at most 2 s.

    python tests/benchmarks/check_latency.py

Starts a real Jupyter kernel, imports torch, runs the reference's cell and times the check cell: the
first run, which starts the judge, and later ones. Writes
tests/benchmarks/results/check_latency.json.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import start_new_kernel

from hotloop.judge.device import device_name
from hotloop.tasks.render import submission

HERE = Path(__file__).parent
CHECK = 'check("fused_softmax.online_pass")'


def _cells(folder: Path) -> list[str]:
    notebook = nbformat.read(folder / "lab.ipynb", as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def measure(repeats: int) -> list[float]:
    """Return the seconds of each check, in order."""
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in submission("fused_softmax", None).items():
            (folder / file).write_bytes(content)
        manager, client = start_new_kernel(cwd=name)
        try:
            for source in _cells(folder):
                if "check(" not in source:
                    client.execute_interactive(source, timeout=60, output_hook=lambda _m: None)
            client.execute_interactive("from hotloop import check", timeout=60)
            for _ in range(repeats):
                started = time.perf_counter()
                reply = client.execute_interactive(CHECK, timeout=60, output_hook=lambda _m: None)
                seconds.append(time.perf_counter() - started)
                assert reply["content"]["status"] == "ok", reply["content"]
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=6)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "check_latency.json")
    options = parser.parse_args()
    seconds = measure(options.repeats)
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "first_s": round(seconds[0], 3),
        "later_median_s": round(sorted(seconds[1:])[len(seconds[1:]) // 2], 3),
        "seconds": [round(s, 3) for s in seconds],
    }
    options.out.write_text(json.dumps(document, indent=1) + "\n")
    if options.json:
        print(json.dumps(document))
        return
    print(f"first check {document['first_s']} s, later {document['later_median_s']} s (asked: 2 s)")


if __name__ == "__main__":
    main()
