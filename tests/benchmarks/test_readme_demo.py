"""The README shows what a run of `make demo` printed."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import readme_demo


def test_the_readmes_table_is_that_of_the_recorded_run() -> None:
    readme = readme_demo.README.read_text(encoding="utf-8")
    recorded = json.loads(readme_demo.RESULT.read_text(encoding="utf-8"))
    assert readme_demo.with_table(readme, readme_demo.table(recorded)) == readme


def test_a_long_sentence_is_cut_at_a_word() -> None:
    row = {
        "student": "a",
        "task": "t",
        "verdict": "passed",
        "points": 1.5,
        "possible": 2.0,
        "pending": 0.5,
        "sentence": "word " * 40,
    }
    text = readme_demo.table({"device": "D", "date": "2026-01-01", "results": [row, row]})
    assert "| a | t | passed | 1.5/2, 0.5 open | word" in text
    assert "| | t | passed |" in text
    assert "word …" in text
