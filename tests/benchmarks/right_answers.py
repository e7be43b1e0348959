"""How often is a right answer refused? Judges each answer in tests/right many times.

    python tests/benchmarks/right_answers.py first_kernels --times 20 --keep

Each judging draws new hidden inputs, on all checks that measure neither speed nor a GPU. A right
answer must pass every time; each refusal is printed with its sentence and a seed for `hotloop check
--seed`, and the exit code is 1. `--keep` writes tests/benchmarks/results/right_answers.json, which
the site's page "How strong the checks are" shows, and goes on where an earlier run of the same
answers and the same graders stopped; rows of other answers stay.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "right"))

from answers import RightAnswer, refusals, right_answers

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.judge.grader_digest import grader_digest
from hotloop.tasks.local_judging import judge_submission

RESULT = Path(__file__).parent / "results" / "right_answers.json"
REPEATED = 3
"""An answer that is refused this often in a row from the start is not judged more often."""


@dataclass
class Row:
    """Results of one answer.

    judged, refused: judgings. unmeasured: judgings in which this machine could measure no check.
    sentences: the different reasons of refusals, at most three, each with a seed. code: SHA-256 of
    the answer and its graders.
    """

    name: str
    module: str
    task: str
    judged: int = 0
    refused: int = 0
    unmeasured: int = 0
    sentences: list[str] = field(default_factory=list[str])
    code: str = ""

    def add(self, record: Record) -> None:
        """Count one judging."""
        if all(check.verdict is Verdict.NOT_MEASURED for check in record.checks):
            self.unmeasured += 1
            return
        self.judged += 1
        if not (refused := refusals(record)):
            return
        self.refused += 1
        first = refused[0]
        reason = f"{first.check}: {first.verdict.value}: {first.sentence}"[:200]
        if len(self.sentences) < 3:
            self.sentences.append(f"{reason} (seed {record.circumstances.seed})")


def main() -> None:
    """Judge and print; with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", help="all of them, if none is named")
    parser.add_argument("--times", type=int, default=20, help="judgings of each answer")
    parser.add_argument("--workers", type=int, default=2, help="judges at once")
    parser.add_argument("--only", nargs="*", help="only names that begin with one of these")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    answers = [
        answer
        for answer in right_answers(arguments.modules)
        if not arguments.only or answer.name.startswith(tuple(arguments.only))
    ]
    rows = judge_all(answers, arguments.times, arguments.workers, keep=arguments.keep)
    document = summary(rows)
    print(json.dumps(document, indent=1) if arguments.json else text_of(document))
    sys.exit(any(row.refused for row in rows))


def judge_all(
    answers: Sequence[RightAnswer], times: int, workers: int, *, keep: bool = False
) -> list[Row]:
    """Judge every answer `times` times; keep: write the results after each answer."""
    local = threading.local()
    earlier = kept() if keep else {}

    def judge(answer: RightAnswer) -> Row:
        if not hasattr(local, "judge"):
            local.judge = JudgeProcess()
        return judged_row(answer, times, local.judge, earlier.get(answer.name))

    rows: list[Row] = []
    started = time.monotonic()
    with ThreadPoolExecutor(workers) as pool:
        waiting = [pool.submit(judge, answer) for answer in answers]
        for number, future in enumerate(as_completed(waiting), start=1):
            row = future.result()
            rows.append(row)
            if keep:
                write(rows)
            passed = time.monotonic() - started
            outcome = f"{row.refused} of {row.judged} refused"
            print(
                f"{number} of {len(answers)}, {passed:.0f} s: {row.name}: {outcome}",
                *row.sentences,
                sep="\n    ",
                file=sys.stderr,
                flush=True,
            )
    return sorted(rows, key=lambda row: row.name)


def judged_row(
    answer: RightAnswer, times: int, judge: JudgeProcess, earlier: Row | None = None
) -> Row:
    """Judge one answer with newly drawn inputs each time, after those of an earlier run."""
    files = answer.submission()
    code = hashlib.sha256(grader_digest(answer.module).encode())
    for name in sorted(files):
        code.update(f"{name}\0".encode() + files[name])
    row = Row(answer.name, answer.module, answer.task, code=code.hexdigest())
    if earlier is not None and earlier.code == row.code:
        row = earlier
    while row.judged < times and not row.unmeasured:
        if row.judged == row.refused == REPEATED:
            break
        records = judge_submission(files, answer.module, [answer.task], answer.checks, judge=judge)
        row.add(records[answer.task])
    return row


def summary(rows: Iterable[Row]) -> dict[str, Any]:
    """Return the result document: counts by module, and a row for each answer."""
    rows = sorted(rows, key=lambda row: row.name)
    modules = sorted({row.module for row in rows})
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "modules": {m: _counts([row for row in rows if row.module == m]) for m in modules},
        "all": _counts(rows),
        "answers": [asdict(row) for row in rows],
    }


def _counts(rows: Sequence[Row]) -> dict[str, Any]:
    judged, refused = sum(row.judged for row in rows), sum(row.refused for row in rows)
    return {
        "answers": sum(row.judged > 0 for row in rows),
        "judged": judged,
        "refused": refused,
        "per_1000": round(1000 * refused / judged, 1) if judged else None,
        "unmeasured": sum(row.unmeasured > 0 for row in rows),
    }


def write(rows: Iterable[Row]) -> None:
    """Write the result file; rows of answers that were not judged now stay as they are."""
    rows = (kept() | {row.name: row for row in rows}).values()
    RESULT.write_text(json.dumps(summary(rows), indent=1) + "\n", encoding="utf-8")


def kept() -> dict[str, Row]:
    """Return the rows of the result file, by name."""
    if not RESULT.is_file():
        return {}
    document = json.loads(RESULT.read_text(encoding="utf-8"))
    return {row["name"]: Row(**row) for row in document["answers"]}


def text_of(document: dict[str, Any]) -> str:
    """Return the table for people."""
    lines = [f"{'module':24}{'answers':>8}{'judged':>8}{'refused':>8}{'per 1000':>10}"]
    for name, counts in [*document["modules"].items(), ("all", document["all"])]:
        share = "–" if counts["per_1000"] is None else counts["per_1000"]
        lines.append(
            f"{name:24}{counts['answers']:>8}{counts['judged']:>8}{counts['refused']:>8}{share:>10}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
