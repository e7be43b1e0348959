"""Whether the keys of a viva's questions hold: questions on ten works, judged again.

    python tests/benchmarks/viva_keys.py --keep               all works; a few minutes each
    python tests/benchmarks/viva_keys.py --works own no_headings

The works have code for tasks of fused_softmax: right ones in several styles, wrong ones, and ones
whose headings were overwritten, moved or deleted. For each, the questions are made as
`hotloop takehome viva --make` does. Then each question's code is judged with seeds that were not
used for its key, and so are the other tasks of its file, of which nothing may have changed; and no
question may be about a task that was wrong as it is. `--keep` writes viva_keys.json to
tests/benchmarks/results. Exit code 1 if a key is wrong.
"""

import argparse
import json
import os
import re
import secrets
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from hotloop.author.evidence import measured_by
from hotloop.core import paths
from hotloop.judge.device import device_name
from hotloop.learn.predicting import items
from hotloop.learn.predicting.judges import Judges, JudgingRequest
from hotloop.learn.predicting.outcomes import WORDS, JudgedPrediction, against
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import default_jobs
from hotloop.tasks.measured_code import measured_code

HERE = Path(__file__).parent
RESULT = HERE / "results" / "viva_keys.json"
WORKS = HERE / "viva_works"
MODULE = "fused_softmax"
TASKS = ("cuda_naive", "cuda_block", "triton_forward")

Files = dict[str, bytes]


def main() -> None:
    """Make and judge the questions, print and, with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--works", nargs="*", default=list(SUBMISSIONS), help="only these")
    parser.add_argument("--again", type=int, default=3, help="judgings of each key, once made")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    works: list[dict[str, Any]] = []
    for name in arguments.works:
        works.append(row(name, arguments.again))
        if arguments.keep:
            write(works)
    print(json.dumps(document(works), indent=1) if arguments.json else text(works))
    sys.exit(any(work["faults"] for work in works))


def write(works: Sequence[dict[str, Any]]) -> None:
    """Write these rows, in place of stored ones of the same works."""
    RESULT.write_text(json.dumps(document(works), indent=1) + "\n", encoding="utf-8")


def document(works: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return these rows and the stored ones of other works; each says of which code it is."""
    kept: list[dict[str, Any]] = []
    if RESULT.is_file():
        kept = json.loads(RESULT.read_text(encoding="utf-8"))["rows"]
    new = {work["work"] for work in works}
    rows = [*(work for work in kept if work["work"] not in new), *works]
    return {
        "format": 1,
        "device": device_name(),
        "date": max((work["date"] for work in rows), default=""),
        "works": len(rows),
        "keys": sum(work["keys"] for work in rows),
        "keys_hold": sum(work["keys_hold"] for work in rows),
        "longest_minutes": max((work["minutes"] for work in rows), default=0),
        "rows": rows,
    }


# --- ten works ------------------------------------------------------------------------------------


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


def patched(patch: str) -> Files:
    """Return the reference with one of the module's wrong answers."""
    path = paths.solutions() / MODULE / "wrong" / f"{patch}.patch"
    return dict(render.submission(MODULE, path))


def half_right() -> Files:
    """Return the reference without a barrier: the numbers come out right, and there is a race."""
    return patched("cuda_missing_barrier")


def no_headings(files: Files) -> Files:
    """Return a work whose headings were overwritten, as candidates do with the answer."""
    bare = {name: re.sub(rb"[^\S\n]*(//|#)* ?### TASK .*\n", b"", files[name]) for name in _CODE}
    return {**files, **bare}


def other_headings() -> Files:
    """Return the reference with all headings of one task, as by a search and replace."""
    files = reference()
    files["softmax.cu"] = re.sub(
        rb"### TASK fused_softmax\.\w+", b"### TASK fused_softmax.cuda_naive", files["softmax.cu"]
    )
    return files


def shared_helper() -> Files:
    """Return the reference whose kernels share a helper, which stands in the first one's region."""
    files = no_headings(reference())
    shift = b"maximum == -CUDART_INF_F ? 0.0f : maximum"
    helper = b"__device__ float shift_for(float maximum) {\n  return " + shift + b";\n}\n\n"
    source = files["softmax.cu"].replace(b"shift = " + shift, b"shift = shift_for(maximum)")
    files["softmax.cu"] = source.replace(b"// 5. One thread a row.", helper + b"// 5.")
    return files


_CODE = ("softmax.cu", "softmax_triton.py")
SUBMISSIONS: dict[str, Callable[[], Files]] = {
    "own": own,
    "reference": reference,
    "renamed": renamed,
    "assistant": assistant,
    "half_right": half_right,
    "half_a_sum": lambda: patched("cuda_half_sum"),
    "no_headings": lambda: no_headings(reference()),
    "wrong_without_headings": lambda: no_headings(patched("cuda_past_the_end")),
    "other_headings": other_headings,
    "shared_helper": shared_helper,
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


def work_of(name: str) -> PredictedSubmission:
    """Return one of the works."""
    module = curriculum.load_module(MODULE)
    return PredictedSubmission(module, TASKS, SUBMISSIONS[name](), render.untouched(MODULE))


# --- their questions ------------------------------------------------------------------------------


def row(name: str, again: int) -> dict[str, Any]:
    """Return the row of a work: its questions, and whether their keys hold.

    minutes: for making the questions, on `jobs` judges at once. load: of the machine, over five
    minutes; with it they grow.
    """
    work = work_of(name)
    made = items.make(work, say=lambda text: say(f"{name}: {text}"))
    with Judges() as judges:
        found = checked(work, made, [secrets.token_hex(16) for _ in range(again)], judges)
    kinds = [item.outcome.kind for item in made.items]
    wrong = [task for task, plain in made.unchanged.items() if not plain.is_right]
    asked = {item.task for item in made.items}
    faults = [*found.values(), *(f"{task} is wrong, and asked about" for task in asked & {*wrong})]
    return {
        "work": name,
        "as_it_is": {task: plain.kind for task, plain in made.unchanged.items()},
        "left_out": sorted(made.left_out),
        "tried": made.tried,
        "unclear": made.unclear,
        "minutes": round(made.seconds / 60, 1),
        "jobs": default_jobs(),
        "load": round(os.getloadavg()[1], 1),
        "outcomes": ", ".join(f"{kinds.count(kind)} {kind}" for kind in WORDS if kind in kinds),
        "items": [
            f"{item.task}, line {item.line}, {item.operator}: {item.outcome.kind}"
            for item in made.items
        ],
        "keys": len(made.items),
        "keys_hold": len(made.items) - len(found),
        "judged_again": again,
        "faults": faults,
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "code": measured_code(MODULE),
        "by": measured_by(),
    }


def checked(
    work: PredictedSubmission, made: items.ItemSet, seeds: Sequence[str], judges: Judges
) -> dict[int, str]:
    """Return what is wrong, by the number of the item; fresh seeds are given for its task.

    Other tasks of a file are judged with the first of them: nothing may have changed there.
    """
    tasks = [task for task in made.unchanged if made.unchanged[task].is_right]
    plain = dict(zip(tasks, grouped(judges, [(work, task) for task in tasks], seeds), strict=True))
    faults: dict[int, str] = {}
    for item in made.items:
        changed = item.made_in(work)
        [found] = grouped(judges, [(changed, item.task)], seeds)
        kinds = [
            one and before and against(one, before)
            for one, before in zip(found, plain[item.task], strict=True)
        ]
        said = [kind and kind.kind for kind in kinds]
        say(f"  item {item.number}: {said}, key {item.outcome.kind}")
        if not all(kind and kind.is_like(item.outcome) for kind in kinds):
            faults[item.number] = f"item {item.number} is {item.outcome.kind}, and came to {said}"
        others = [
            task
            for task in tasks
            if task != item.task and item.file in work.module.task(task).files and not item.cell
        ]
        for task, [one] in zip(
            others, grouped(judges, [(changed, task) for task in others], seeds[:1]), strict=True
        ):
            before = plain[task][0]
            if not (one and before and one.figures == before.figures and one.is_like(before)):
                faults[item.number] = f"item {item.number} changes {task}, too"
    return faults


def grouped(
    judges: Judges, works: Sequence[tuple[PredictedSubmission, str]], seeds: Sequence[str]
) -> list[list[JudgedPrediction | None]]:
    """Return the outcomes of each work and task with each of the seeds."""
    found = judges.judge(JudgingRequest(*work, seed) for work in works for seed in seeds)
    return [found[at : at + len(seeds)] for at in range(0, len(found), len(seeds))]


def text(works: Sequence[dict[str, Any]]) -> str:
    """Format the rows."""
    lines: list[str] = []
    for work in works:
        lines.append(
            f"{work['work']}: {work['keys']} items of {work['tried']} changes, {work['unclear']} "
            f"unclear; {work['outcomes']}; as it is: {work['as_it_is']}"
        )
        lines.append(
            f"    keys hold {work['keys_hold']} of {work['keys']}; {work['minutes']} minutes on "
            f"{work['jobs']} judges, load {work['load']}"
        )
        lines += [f"    {item}" for item in work["items"]]
        lines += [f"    WRONG: {fault}" for fault in work["faults"]]
    return "\n".join(lines)


def say(told: str) -> None:
    """Print progress to standard error."""
    print(told, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
