"""Which questions a viva has, and how many it takes to tell who understands the code.

    python tests/benchmarks/viva.py --keep             both parts; the first takes minutes a row
    python tests/benchmarks/viva.py --simulation-only  seconds

First, five works on two tasks of fused_softmax: one written independently, the published reference,
a copy of it under other names, one with right numbers and a race, and one in an assistant's style.
For each, it makes the questions and checks again, with seeds not used for the key, that the judge
gives each question the outcome in its key.

Then a simulation: people who understand, who half understand, who guess and say so, and who bluff
answer n questions. How often is the one who understands distinguished from the others, by the Brier
score and by the number of right answers? That is, the whole 95 % interval is better than an even
guess, or than the other's interval. `--keep` writes viva.json and viva_power.json to
tests/benchmarks/results. Exit code 1 if a key is wrong.
"""

import argparse
import json
import os
import random
import re
import secrets
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from hotloop.author.evidence import measured_by
from hotloop.core.intervals import Interval, rate_interval
from hotloop.judge.device import device_name
from hotloop.learn.predicting import items
from hotloop.learn.predicting.judges import Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import WORDS, Kind, against
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.learn.predicting.scores import GUESS, brier, mean_interval
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import default_jobs
from hotloop.tasks.measured_code import measured_code

HERE = Path(__file__).parent
RESULT = HERE / "results" / "viva.json"
POWER_RESULT = HERE / "results" / "viva_power.json"
WORKS = HERE / "viva_works"
MODULE = "fused_softmax"
TASKS = ("cuda_block", "triton_forward")

Files = dict[str, bytes]


def main() -> None:
    """Run both parts, print and, with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--simulation-only", action="store_true")
    parser.add_argument("--works", nargs="*", default=list(SUBMISSIONS), help="only these")
    parser.add_argument("--tasks", nargs="*", default=list(TASKS), help="asked about")
    parser.add_argument("--again", type=int, default=3, help="judgings of each key, once made")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    names: list[str] = [] if arguments.simulation_only else arguments.works
    works = [row(name, task, arguments.again) for name in names for task in arguments.tasks]
    head = {"format": 1, "device": device_name(), "date": datetime.now(UTC).date().isoformat()}
    told = simulation()
    power = {**head, "trials": TRIALS, **by_name(told), "rows": told}
    asked = {**head, "rows": [*others(works), *works]}
    if arguments.keep:
        write(RESULT, asked)
        write(POWER_RESULT, power)
    result = {"works": asked, "power": power}
    print(json.dumps(result, indent=1) if arguments.json else text(works, told))
    right = {"none", "bytes"}  # the assistant's kernel moves more bytes than it has to
    broken = [w for w in works if w["work"] != "half_right" and w["as_it_is"] not in right]
    sys.exit(bool(broken) or any(work["keys_hold"] < work["keys"] for work in works))


def write(path: Path, document: dict[str, Any]) -> None:
    """Write one result."""
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def others(works: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return stored rows of other works or tasks. Each says of which code it is."""
    if not RESULT.is_file():
        return []
    kept = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
    new = {(row["work"], row["task"]) for row in works}
    return [row for row in kept if (row["work"], row["task"]) not in new]


# --- five works -----------------------------------------------------------------------------------


def own() -> Files:
    """Return a right work, written independently of the reference."""
    return _with(WORKS / "own_cuda.txt", WORKS / "own_triton.txt", "_one_row")


def reference() -> Files:
    """Return the published solution, unchanged."""
    return dict(render.submission(MODULE))


def renamed() -> Files:
    """Return the published solution, with other names and without comments."""
    files = reference()
    for name, names in _NAMES.items():
        source = files[name].decode()
        for old, new in names.items():
            source = re.sub(rf"(?<!tl\.)\b{old}\b", new, source)
        files[name] = re.sub(r"(?m)^\s*(//|#) (?!###)[A-Z].*\n", "", source).encode()
    return files


def half_right() -> Files:
    """Return the reference without a barrier: the numbers come out right, and there is a race."""
    path = render.paths.solutions() / MODULE / "wrong" / "cuda_missing_barrier.patch"
    return dict(render.submission(MODULE, path))


def assistant() -> Files:
    """Return a work in an assistant's style: textbook steps, with a comment on each."""
    return _with(WORKS / "assistant_cuda.txt", WORKS / "assistant_triton.txt", "_softmax_kernel")


_NAMES = {
    "softmax.cu": {"partial": "scratch", "half": "span", "maximum": "peak", "shift": "offset"},
    "softmax_triton.py": {
        "columns": "idx",
        "inside": "valid",
        "maximum": "peak",
        "weights": "numer",
        "total": "denom",
        "row": "r",
    },
}

SUBMISSIONS: dict[str, Callable[[], Files]] = {
    "own": own,
    "reference": reference,
    "renamed": renamed,
    "half_right": half_right,
    "assistant": assistant,
}


def _with(cuda: Path, triton: Path, kernel: str) -> Files:
    """Return the exercise with a kernel's body, and Triton kernels with the shortest launcher."""
    files = dict(render.untouched(MODULE))
    hint = "  // One block writes row blockIdx.x: partial results in shared memory, then a tree.\n"
    files["softmax.cu"] = files["softmax.cu"].replace(hint.encode(), cuda.read_bytes())
    source = files["softmax_triton.py"].decode()
    begin = source.index("@triton.jit\ndef _softmax_row")
    end = source.index("### TASK fused_softmax.triton_forward launch")
    source = source[:begin] + triton.read_text() + "\n\n" + source[end:]
    launch = _LAUNCH.format(kernel=kernel)
    stub = '    raise NotImplementedError("fused_softmax.triton_forward")\n'
    files["softmax_triton.py"] = source.replace(stub, launch).encode()
    return files


_LAUNCH = """\
    n_rows, n_cols = x.shape
    block = min(triton.next_power_of_2(n_cols), MAX_BLOCK)
    {kernel}[(n_rows,)](x, out, x.stride(0), out.stride(0), n_cols, BLOCK=block)
"""


def row(name: str, task: str, again: int) -> dict[str, Any]:
    """Return the row of a work's task: its questions, and whether their keys hold.

    seconds: for making the questions, on `jobs` judges at once. one_judging_s: what the judge takes
    for the work as it is at that time. load: of the machine, over five minutes; with it both grow.
    """
    work = PredictedSubmission(
        curriculum.load_module(MODULE), (task,), SUBMISSIONS[name](), render.untouched(MODULE)
    )
    made = items.make(work, say=lambda text: say(f"{name}: {text}"))
    with Judges() as judges:
        hold = [holds(work, item, made, again, judges) for item in made.items]
        started = time.monotonic()
        judges.judge([JudgingRequest(work, task, secrets.token_hex(16))])
        one_s = time.monotonic() - started
    kinds = [item.outcome.kind for item in made.items]
    return {
        "work": name,
        "task": task,
        "as_it_is": ", ".join(found.kind for found in made.unchanged.values()),
        "tried": made.tried,
        "unclear": made.unclear,
        "seconds": made.seconds,
        "one_judging_s": round(one_s, 1),
        "jobs": default_jobs(),
        "load": round(os.getloadavg()[1], 1),
        "outcomes": ", ".join(f"{kinds.count(kind)} {kind}" for kind in WORDS if kind in kinds),
        "items": [
            f"{item.file}:{item.line} {item.operator}: {item.outcome.kind}" for item in made.items
        ],
        "keys": len(hold),
        "keys_hold": sum(hold),
        "judged_again": again,
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "code": measured_code(MODULE),
        "by": measured_by(),
    }


def holds(
    work: PredictedSubmission,
    item: items.PredictionItem,
    made: items.ItemSet,
    again: int,
    judges: Judges,
) -> bool:
    """Return whether `again` fresh seeds give the changed code the outcome of the key."""
    changed, before = item.made_in(work), made.unchanged[item.task]
    found = judges.judge(
        JudgingRequest(changed, item.task, secrets.token_hex(16)) for _ in range(again)
    )
    say(f"  item {item.number}: {[one and one.kind for one in found]}, key {item.outcome.kind}")
    return all(one is not None and against(one, before).is_like(item.outcome) for one in found)


# --- who understands ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Person:
    """hits: share of right answers. sure: the stated confidence if right, and if wrong."""

    hits: float
    sure: tuple[float, float]


PEOPLE = {
    "understands": Person(0.85, (0.9, 0.7)),
    "understands half": Person(0.55, (0.7, 0.5)),
    "guesses and says so": Person(1 / len(WORDS), (0.15, 0.15)),
    "bluffs": Person(0.25, (0.9, 0.9)),
}
"""Assumed, not measured: there are no data of real vivas."""

COUNTS = (4, 6, 8, 10, 12, 16, 20, 24, 32, 48)
TRIALS = 4000
POWER = 0.8


def simulation(seed: int = 1) -> list[dict[str, Any]]:
    """Return for each distinction how often it is made, by number of questions.

    Also from which number on it is made in 80 % of the vivas.
    """
    rng = random.Random(seed)
    power = {count: power_at(count, rng) for count in COUNTS}
    return [
        {
            "told": name,
            **{str(count): power[count][name] for count in COUNTS},
            "80 % from": fewest([power[count][name] for count in COUNTS]),
        }
        for name in power[COUNTS[0]]
    ]


def by_name(told: Sequence[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return what pages quote: from how many questions on, and how often with eight."""
    names = [re.sub(r"\W+", "_", row["told"]) for row in told]
    return {
        "enough": {name: row["80 % from"] for name, row in zip(names, told, strict=True)},
        "with_8": {name: f"{row['8']:.0%}" for name, row in zip(names, told, strict=True)},
    }


def fewest(shares: Sequence[float]) -> str:
    """Return the number of questions from which on all shares are large enough."""
    enough = [all(share >= POWER for share in shares[place:]) for place in range(len(shares))]
    return str(COUNTS[enough.index(True)]) if True in enough else f"more than {COUNTS[-1]}"


def power_at(count: int, rng: random.Random) -> dict[str, float]:
    """Return how often each distinction is made with `count` questions."""
    told: Counter[str] = Counter()
    for _ in range(TRIALS):
        sat = {name: answered(person, count, rng) for name, person in PEOPLE.items()}
        best = sat["understands"]
        for name, other in sat.items():
            told[f"{name}: Brier better than a guess"] += other.brier.high < GUESS
            told[f"{name}: more right than by guessing"] += other.right.low > 1 / len(WORDS)
            if name != "understands":
                told[f"understands, Brier better than: {name}"] += best.brier.high < other.brier.low
                told[f"understands, more right than: {name}"] += best.right.low > other.right.high
    return {name: hits / TRIALS for name, hits in sorted(told.items())}


@dataclass(frozen=True)
class Sat:
    """The two intervals of one viva."""

    brier: Interval
    right: Interval


def answered(person: Person, count: int, rng: random.Random) -> Sat:
    """Simulate one viva; its outcomes are as evenly spread as in real ones."""
    kinds: Sequence[Kind] = list(WORDS)
    scores: list[float] = []
    hits = 0
    for number in range(count):
        truth = kinds[number % len(kinds)]
        right = rng.random() < person.hits
        others: list[Kind] = [kind for kind in kinds if kind != truth]
        said = truth if right else rng.choice(others)
        scores.append(brier(said, person.sure[0] if right else person.sure[1], truth))
        hits += right
    rate = rate_interval(hits, count)
    assert rate is not None
    return Sat(mean_interval(scores), rate)


# --- said -----------------------------------------------------------------------------------------


def text(works: Sequence[dict[str, Any]], power: Sequence[dict[str, Any]]) -> str:
    """Format both parts as tables."""
    lines: list[str] = []
    for work in works:
        lines.append(
            f"{work['work']}, {work['task']}: {work['keys']} items of {work['tried']} changes, "
            f"{work['unclear']} unclear; {work['outcomes']}; as it is: {work['as_it_is']}"
        )
        lines.append(
            f"    keys hold {work['keys_hold']} of {work['keys']}; {work['seconds']:.0f} s on "
            f"{work['jobs']} judges, one judging {work['one_judging_s']:.0f} s, at {work['load']}"
        )
        lines += [f"    {item}" for item in work["items"]]
    for row in power:
        shown = "  ".join(f"{count}: {row[str(count)]:.0%}" for count in COUNTS)
        lines.append(f"{row['told']}\n    {shown}\n    80 % from {row['80 % from']} questions on")
    return "\n".join(lines)


def say(told: str) -> None:
    """Print progress to standard error."""
    print(told, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
