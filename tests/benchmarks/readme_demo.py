"""The README's table of `make demo`, from a run of it.

    python tests/benchmarks/readme_demo.py --keep

Runs `hotloop demo` and prints the table; `--keep` writes results/readme_demo.json and puts the
table into the README, between its marks. Run it on a machine that does nothing else.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.judge.device import device_name

RESULT = Path(__file__).parent / "results" / "readme_demo.json"
README = Path(__file__).resolve().parents[2] / "README.md"
MARKS = "<!-- demo-table: start -->", "<!-- demo-table: end -->"
SHOWN = {
    "reference": ("online_pass", "compiled_chain", "triton_forward", "explain"),
    "untouched": ("online_pass",),
    "wrong-contiguous_rows": ("triton_forward",),
    "wrong-graph_breaks": ("compiled_chain",),
    "wrong-eager_chain": ("compiled_chain",),
    "wrong-three_reads": ("triton_forward",),
    "cheat-equal_to_everything": ("online_pass",),
    "cheat-cache_by_pointer": ("compiled_chain",),
    "cheat-thread_computes_after_done": ("compiled_chain",),
}
"""Which tasks of which submissions the README shows, of those that the demo judges."""

LONGEST = 76
"""Characters of a sentence."""


def main() -> None:
    """Run the demo and print; with --keep, write the result and the README."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name} and the README")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-demo-") as folder:
        command = [sys.executable, "-m", "hotloop.cli", "demo", "--course", f"{folder}/course"]
        done = subprocess.run([*command, "--json"], check=True, stdout=subprocess.PIPE)
    document = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "results": [row for row in json.loads(done.stdout)["results"] if _is_shown(row)],
    }
    print(table(document))
    if options.keep:
        RESULT.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", "utf-8")
        README.write_text(with_table(README.read_text("utf-8"), table(document)), "utf-8")


def _is_shown(row: dict[str, Any]) -> bool:
    return row["task"] in SHOWN.get(row["student"], ())


def table(document: dict[str, Any]) -> str:
    """Return the README's table, with the line that says where it was measured."""
    lines = ["| student | task | verdict | points | sentence |", "| --- | --- | --- | --- | --- |"]
    before = ""
    for row in document["results"]:
        points = f"{row['points']:g}/{row['possible']:g}"
        if row["pending"]:
            points += f", {row['pending']:g} open"
        sentence = " ".join(row["sentence"].split()).replace("|", "\\|")
        if len(sentence) > LONGEST:
            sentence = sentence[: LONGEST - 2].rsplit(" ", 1)[0] + " …"
        name = "" if row["student"] == before else row["student"]
        before = row["student"]
        cells = (name, row["task"], row["verdict"], points, sentence)
        lines.append(f"| {' | '.join(cells)} |".replace("|  |", "| |"))
    place = f"On {document['device']}, {document['date']}"
    return "\n".join([*lines, "", f"{place}: `python tests/benchmarks/readme_demo.py`."])


def with_table(readme: str, content: str) -> str:
    """Return the README with the table between its marks."""
    start, end = MARKS
    between = f"{re.escape(start)}.*?{re.escape(end)}"
    text = f"{start}\n\n{content}\n\n{end}"
    return re.sub(between, lambda _found: text, readme, flags=re.DOTALL)


if __name__ == "__main__":
    main()
