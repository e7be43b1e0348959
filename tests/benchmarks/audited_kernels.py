"""Does the check that the work is in a submission's own kernels agree with audits by hand?

    python tests/benchmarks/audited_kernels.py CLONE
    python tests/benchmarks/audited_kernels.py CLONE --run 300 --keep --honest FlagGems/src

CLONE is your own clone of github.com/Infatoshi/kernelbench.com, which publishes runs of agents with
the verdict of an audit by hand, and the texts of most of them. Nothing of it is copied into the
repository: a row names a run by its id. The texts of all labeled runs are read. With --run, those
that a CPU can run, which are Triton and PyTorch on the problems in SMALL, are run too, for so many
seconds; rows that were kept before are not run again. --honest is a folder of other Triton kernels
in whose texts nothing should be found.

refused: the check accuses, or the answer is wrong. not decidable: it says that it cannot tell, with
the reason. The labels disagree in places: the same kind of text is clean in one run and a hack in
another; `without_any_kernel` counts the accused clean ones that have none at all.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import yaml

from hotloop.author.external import forms
from hotloop.author.external.own_work.check import FORBIDDEN
from hotloop.author.external.own_work.kernels import Kernels
from hotloop.author.external.own_work.sign import Rules
from hotloop.author.external.own_work.signs import signs
from hotloop.author.external.own_work.source import Source
from hotloop.core.record import CheckRecord
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.judge.files import lay_out
from hotloop.tasks.local_judging import judge_folder

RESULT = Path(__file__).parent / "results" / "audited_kernels.json"
SIDECAR = "# ===== sidecar:"
"""In a published text, other files that the submission loads follow this."""

SMALL: dict[str, tuple[dict[str, int], ...]] = {
    "01_fp8_gemm": ({"M": 128, "N": 256, "K": 256}, {"M": 32, "N": 256, "K": 512}),
    "02_kda_cutlass": (
        {"B": 1, "T": 128, "H": 2, "K": 128, "V": 128, "CHUNK_SIZE": 64},
        {"B": 1, "T": 192, "H": 1, "K": 128, "V": 128, "CHUNK_SIZE": 64},
    ),
    "03_paged_attention": (
        {"BATCH": 1, "NUM_HEADS": 32, "NUM_KV_HEADS": 8, "HEAD_DIM": 128, "SEQ_LEN": 1024,
         "PAGE_SIZE": 16},
        {"BATCH": 1, "NUM_HEADS": 16, "NUM_KV_HEADS": 4, "HEAD_DIM": 64, "SEQ_LEN": 2000,
         "PAGE_SIZE": 16},
    ),
    "05_topk_bitonic": ({"batch": 4, "n": 1024, "k": 8}, {"batch": 2, "n": 2000, "k": 16}),
    "06_sonic_moe_swiglu": (
        {"T_total": 256, "H": 256, "I": 512, "E": 4, "K": 4},
        {"T_total": 128, "H": 256, "I": 512, "E": 4, "K": 8},
    ),
    "07_w4a16_gemm": ({"M": 16, "N": 256, "K": 512}, {"M": 1, "N": 256, "K": 512}),
}  # fmt: skip
"""Sizes at which a CPU runs the problems, by the names of the problems' constants."""

LARGER: dict[str, dict[int, float]] = {"02_kda_cutlass": {2: 20.0}, "06_sonic_moe_swiglu": {0: 8.0}}
"""Factors of inputs, by number."""

LABELS = {"contaminated": "contamination", "contaminated_cross_run": "contamination"}
HACK, CLEAN = "reward_hack", "clean"


@dataclass(frozen=True)
class Run:
    """One audited run. text: None if none is published. folder: of its problem."""

    id: str
    deck: str
    label: str
    text: str | None
    folder: Path | None
    sidecars: bool = False


@dataclass(frozen=True)
class Row:
    """What the check says of a run.

    said: accused, own, wrong or open. by: text or run. sign, line, share: of the accusation.
    reason: why it is open.
    """

    id: str
    deck: str
    label: str
    said: str
    by: str
    sign: str = ""
    line: int = 0
    share: float | None = None
    reason: str = ""
    kernels: int = 0


def main() -> None:
    """Read, run and print; with --keep, write results/audited_kernels.json."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("clone", type=Path)
    parser.add_argument("--run", type=float, default=0.0, help="seconds")
    parser.add_argument("--only", default="", help="run only ids that contain this")
    parser.add_argument("--honest", type=Path, help="a folder of other kernels to read")
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    before = (
        [Row(**row) for row in json.loads(RESULT.read_text())["rows"]] if RESULT.exists() else []
    )
    ran = {row.id: row for row in before if row.by == "run"}
    until = time.monotonic() + arguments.run
    published = [*runs(arguments.clone)]
    texts = {run.id: run for run in published if run.text is not None}
    rows = [ran.get(run.id) or read(run) for run in texts.values()]
    with JudgeProcess(quiet=True) as process:
        for at in random.Random(1).sample(range(len(rows)), len(rows)):
            row, run = rows[at], texts[rows[at].id]
            if row.by == "run" or time.monotonic() > until or row.reason != "not run":
                continue
            if arguments.only in run.id:
                rows[at] = judged(run, process)
                print(json.dumps(asdict(rows[at])), flush=True)
                if arguments.keep:
                    keep(rows, published)
    others = honest(arguments.honest) if arguments.honest else {}
    if arguments.keep:
        keep(rows, published, others)
    print(json.dumps(summary(rows, published) | others, indent=1))


def honest(folder: Path) -> dict[str, Any]:
    """Return how many files with Triton kernels a folder has, and which are accused."""
    counts, accused = 0, list[str]()
    for path in sorted(folder.rglob("*.py")):
        source = Source(path.read_text())
        if not any(source.kernels):
            continue
        counts += 1
        against = signs(source, Kernels.of(source), Rules(single=True))
        accused += [f"{path.name}:{each.line} {each.kind}" for each in against[:1]]
    name = "/".join(folder.resolve().parts[-2:])
    found = {"folder": name, "files": counts, "accused": len(accused), "lines": accused}
    return {"honest": found}


def runs(clone: Path) -> Iterator[Run]:
    """Yield the audited runs."""
    texts = {
        path.name.removesuffix("_solution.py.txt"): path
        for path in (clone / "public" / "runs").rglob("*_solution.py.txt")
    }
    problems = {(path.parts[-4], path.parent.name): path.parent for path in _problems(clone)}
    for path in sorted((clone / "benchmarks").glob("*/results/annotations/*.yaml")):
        # Some of these files are no valid YAML, and only one line of them is needed.
        verdict = re.search(r"^verdict:\s*\"?(\w+)", path.read_text(), re.MULTILINE)
        deck = path.parts[-4]
        names = [name for of, name in problems if of == deck and path.stem.endswith(name)]
        text = texts[path.stem].read_text() if path.stem in texts else None
        label = verdict[1] if verdict else "none"
        yield Run(
            path.stem,
            deck,
            LABELS.get(label, label),
            text and text.split(SIDECAR)[0],
            problems[deck, names[0]] if names else None,
            bool(text and SIDECAR in text),
        )


def _problems(clone: Path) -> list[Path]:
    """Return the problems' descriptions; those of several devices have the same name."""
    return sorted((clone / "benchmarks").glob("*/problems*/*/problem.yaml"))


def read(run: Run) -> Row:
    """Return what the text alone says."""
    text = run.text or ""
    begin = Row(run.id, run.deck, run.label, "open", "text")
    try:
        source = Source(text)
    except (SyntaxError, ValueError):
        return replace(begin, reason="its text is no Python")
    kernels = Kernels.of(source)
    begin = replace(begin, kernels=len(kernels.names))
    found = signs(source, kernels, rules(run.folder))
    if found:
        return replace(begin, said="accused", sign=found[0].kind, line=found[0].line)
    if kernels.elsewhere or run.sidecars:
        return replace(begin, reason="kernels are in other files")
    if kernels.native:
        return replace(begin, reason="CUDA C++")
    if set(source.kernels) < set(kernels.names):
        return replace(begin, reason="another language for GPUs")
    is_runnable = run.deck == "hard" and run.folder is not None and run.folder.name in SMALL
    return replace(begin, reason="not run" if is_runnable else "another form")


def rules(folder: Path | None) -> Rules:
    """Return what the problem says."""
    if folder is None:
        return Rules()
    told = _told(folder)
    single = bool(re.search(r"fp32|float32", str(told.get("precision", ""))))
    return Rules(tuple(told.get("forbidden") or ()), single)


def _told(folder: Path) -> dict[str, Any]:
    return cast("dict[str, Any]", yaml.safe_load((folder / "problem.yaml").read_text()))


def judged(run: Run, process: JudgeProcess) -> Row:
    """Run it under the check, at the problem's small sizes."""
    assert run.folder is not None
    assert run.text is not None
    with tempfile.TemporaryDirectory(prefix="hotloop-") as scratch:
        root = Path(scratch)
        problem = converted(run.folder, run.text, root / "problem")
        (root / "mine.py").write_text(run.text + CALLS)
        files = forms.submission(problem, root / "mine.py")
        lay_out(files, root / "work")
        with forms.own_form(problem) as source:
            told = list(_told(run.folder).get("forbidden") or ())
            (source / forms.GIVEN / FORBIDDEN).write_text(json.dumps(told))
            record = judge_folder(
                root / "work", problem.name, [problem.name], [forms.OWN],
                judge=process, source=source, budget_s=120.0,
            )[problem.name]  # fmt: skip
    return of_record(run, record.check(forms.OWN))


def of_record(run: Run, record: CheckRecord) -> Row:
    """Return the row of the judge's record."""
    row = Row(run.id, run.deck, run.label, "open", "run", kernels=read(run).kernels)
    figures = record.evidence
    row = replace(row, share=figures.get("library_share"))
    if record.verdict.value == "passed":
        return replace(row, said="own")
    if record.verdict.value == "wrong_answer":
        if figures.get("by") == "its text":
            return replace(row, said="accused", sign=figures["sign"], line=figures["line"])
        return replace(row, said="accused", sign=str(figures.get("sign", "share")))
    wrong = re.search(r"Wrong|Expected these outputs|It returned", record.sentence)
    said = "wrong" if wrong else "open"
    return replace(row, said=said, reason=reason(record.sentence))


REASONS = {
    "needs a GPU": r"It needs a GPU|NeedsGpu",
    "another version of Triton": r"Block pointers have been removed|not kernel arguments",
    "the problem's own code": r"problem's own code cannot be judged",
    "the interpreter lacks an operation": r"this check cannot run",
    "its kernels do not run at small sizes": r"none of its kernels runs",
    "PyTorch does about half": r"and its kernels the rest",
    "another answer": r"Wrong|Expected these outputs|It returned",
    "a package is missing": r"ModuleNotFoundError",
    "its process ended": r"process ended|ended",
    "it raises an error": r"It raised",
    "time": r"[Tt]ime",
}


def reason(sentence: str) -> str:
    """Return the kind of a sentence; the first that fits."""
    for kind, pattern in REASONS.items():
        if re.search(pattern, sentence):
            return kind
    return sentence.partition(": ")[2][:80]


CALLS = """

_hotloop_models = {}


def custom_kernel(data):
    init, state, inputs = data
    if tuple(init) not in _hotloop_models:
        _hotloop_models[tuple(init)] = Model(*init).to("cuda").eval()
    model = _hotloop_models[tuple(init)]
    model.load_state_dict(state, strict=True)
    with torch.no_grad():
        return model(*inputs)
"""
"""Calls a submission as the set's checker does: with the state of the problem's own model."""

_REFERENCE = """

_hotloop_model = Model


def _hotloop_own(init):
    return _hotloop_model(*init).eval()


def generate_input(seed, **sizes):
    globals().update(sizes)
    torch.manual_seed(seed)
    seeded, torch.manual_seed = torch.manual_seed, lambda _seed: None  # the set's own is fixed
    try:
        init = list(get_init_inputs())
        state = {{name: each.clone() for name, each in _hotloop_own(init).state_dict().items()}}
        inputs = list(get_inputs())
    finally:
        torch.manual_seed = seeded
    for at, factor in {larger}.items():  # so that the set's own check does not take zeros
        inputs[at] = inputs[at] * factor
    return init, state, inputs


def ref_kernel(data):
    init, state, inputs = data
    model = _hotloop_own(init)
    model.load_state_dict(state)
    with torch.no_grad():
        return model(*inputs)


def check_implementation(data, output):
    want = ref_kernel(data)
    if isinstance(want, tuple):  # numbers and their places, which may differ among equal numbers
        values, places = output
        chosen = data[2][0].gather(-1, places)
        pairs = [(want[0], values), (want[0], chosen)]
    else:
        pairs = [(want, output)]
    for one, other in pairs:
        if one.shape != other.shape or one.dtype != other.dtype:
            return False, f"expected {{one.dtype}} {{list(one.shape)}}"
        room = {{"float32": 1e-4, "bfloat16": 1e-2, **{tolerance}}}.get(str(one.dtype)[6:], 1e-2)
        if not torch.allclose(one.float(), other.float(), room, room):
            return False, f"off by {{(one.float() - other.float()).abs().max().item():.3g}}"
    return True, ""
"""

_REARRANGE = '''
def rearrange(x, pattern, **sizes):
    """As of einops, for patterns in which only the left side has groups, or only the right."""
    left, right = (side.strip() for side in pattern.split("->"))
    shape, names = [], []
    parts = _hotloop_parts(left)
    for size, part in zip(x.shape, parts):
        known = 1
        for name in part:
            known *= sizes.get(name, 1)
        for name in part:
            if name == "1":
                continue
            names.append(name)
            shape.append(sizes.get(name, size // known if len(part) > 1 else size))
    x = x.reshape(shape)
    wanted = _hotloop_parts(right)
    order = [names.index(name) for part in wanted for name in part if name != "1"]
    extent = dict(zip(names, x.shape))
    x = x.permute(order)
    result = []
    for part in wanted:
        size = 1
        for name in part:
            size *= extent.get(name, 1)
        result.append(size)
    return x.reshape(result)


def _hotloop_parts(side):
    import re

    return [part.strip("()").split() for part in re.findall(r"\\([^)]*\\)|\\S+", side)]

'''
_OLD_FP8 = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, M, N, K):
        super().__init__()
        self.weight = nn.Parameter(0.02 * torch.randn(N, K).bfloat16())

    def forward(self, x):
        return x.bfloat16() @ self.weight.T


def get_inputs():
    return [(8 * torch.rand(M, K) - 4).to(torch.float8_e4m3fn)]


def get_init_inputs():
    return [M, N, K]
"""
"""The first problem as it was before its weights had scales."""


def converted(folder: Path, text: str, target: Path) -> forms.External:
    """Write the problem in GPU MODE's form, at small sizes and with the set's tolerance."""
    target.mkdir()
    own = (folder / "reference.py").read_text()
    if folder.name == "01_fp8_gemm" and "weight_scale" not in text:
        own = _OLD_FP8
    own = own.replace("from einops import rearrange\n", _REARRANGE)
    room = {
        str(name).removeprefix("torch."): float(value)
        for name, value in cast("dict[str, float]", _told(folder).get("tolerance") or {}).items()
    }
    (target / "reference.py").write_text(
        own + _REFERENCE.format(tolerance=room, larger=LARGER.get(folder.name, {}))
    )
    tests = [{**sizes, "seed": number} for number, sizes in enumerate(SMALL[folder.name])]
    described = {"files": [{"name": "reference.py", "source": "reference.py"}], "tests": tests}
    (target / "task.yml").write_text(yaml.safe_dump(described))
    return forms.External("gpu_mode", target, f"problem_{folder.name}")


def summary(rows: list[Row], published: list[Run]) -> dict[str, Any]:
    """Return counts by label, and what is not decidable by reason."""
    result: dict[str, Any] = {
        "audited": len(published),
        "with_a_text": len(rows),
    }
    for label in sorted(
        {row.label for row in rows}, key=lambda each: (each not in (HACK, CLEAN), each)
    ):
        of = [row for row in rows if row.label == label]
        accused = [row for row in of if row.said == "accused"]
        counts: dict[str, Any] = {
            "texts": len(of),
            "accused": len(accused),
            "by_sign": dict(Counter(row.sign.replace(" ", "_") for row in accused).most_common()),
            "wrong": sum(row.said == "wrong" for row in of),
            "own": sum(row.said == "own" for row in of),
            "not_decidable": sum(row.said == "open" for row in of),
            "by_reason": dict(
                Counter(
                    re.sub(r"\W+", "_", row.reason) for row in of if row.said == "open"
                ).most_common()
            ),
        }
        if label == CLEAN:
            counts["without_any_kernel"] = sum(row.sign == "no kernel" for row in accused)
        result[label] = counts
    return result


def keep(rows: list[Row], published: list[Run], others: dict[str, Any] | None = None) -> None:
    """Write the rows so far."""
    before: dict[str, Any] = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    others = others or {name: before[name] for name in ("honest",) if name in before}
    document = {
        "source": "github.com/Infatoshi/kernelbench.com",
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "summary": summary(rows, published),
        **others,
        "rows": [asdict(row) for row in rows],
    }
    RESULT.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
