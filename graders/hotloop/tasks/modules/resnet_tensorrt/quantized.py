"""Checks of the network quantized to int8: its structure, accuracy and speed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32, I64
from hotloop.judge.onnx import session_options
from hotloop.judge.onnx.programs import RUNNER, entrant
from hotloop.judge.onnx.quantized import Material, Quantization, distance_mismatch
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.modules.resnet_tensorrt.given_files import program
from hotloop.tasks.modules.resnet_tensorrt.network_cost import CLASSES, flops
from hotloop.tasks.modules.resnet_tensorrt.sessions import CROPS, ORACLE, SIDE, spec

Rng = np.random.Generator

PROGRAM = program("quantization.py", "quantized_weights.py")
QUANTIZATION = Quantization(PROGRAM, "network.onnx", count=320)
FILE = QUANTIZATION.file()

MOST_SHARE_OF_SIZE = 0.3
COMPUTING = 54
"""53 convolutions and the last layer."""

LEAST_SHARE_INTEGER = 0.95
SIGNS, AT_ONCE = 1200, 100
MOST_LOST = 0.025
"""Share of all signs. The reference loses at most 0.001; a network calibrated only on frames at
night loses 0.08 (model/variants.py beside the lesson, three recordings, 2000 signs).
"""

MOST_DISTANCE = 0.5
"""Relative distance (L2 norm) of the timed calls' logits from float32's; the reference has 0.05."""

VNNI = ("avx512_vnni", "avx_vnni", "asimddp", "i8mm")
"""Without one of these flags in `/proc/cpuinfo`, a CPU multiplies int8 no faster than float32."""

CPU = Path("/proc/cpuinfo")
TIMEOUT_S = 60.0

Facts = Mapping[str, Any]


@check(after=("sound", "accurate"), timed=True, scored_by="levels")
def fast(session: Session, cpu: Path = CPU) -> str:
    """Time the int8 file against the float32 file, both in ONNX Runtime.

    Raises Ruling NOT_MEASURED if the CPU has no VNNI.
    """
    if not multiplies_bytes(cpu):
        sentence = (
            "This CPU has no instruction that multiplies and adds bytes (VNNI, or dotprod on "
            "ARM): int8 need not be faster than float32 here, so it is not measured."
        )
        raise Ruling(Verdict.NOT_MEASURED, sentence)
    pool = _Pool()
    measured = Fast(
        Workload(lambda _rng, _index: spec(CROPS), pool.fill),
        Baseline(RUNNER.files[RUNNER.main], "run", beside=RUNNER.files, prepare=_load_float32),
        lambda call: call.out.bytes,
        fewest_flops=lambda _spec: flops(CROPS, SIDE),
        entrant=pool.entrant,
        oracle=ORACLE.function("run", distant),
    )
    return measured(session)


def multiplies_bytes(cpu: Path) -> bool:
    """Whether the processor that a cpuinfo file describes has an instruction of VNNI."""
    try:
        words = set(cpu.read_text(encoding="utf-8").split())
    except OSError:
        return False
    return not words.isdisjoint(VNNI)


def structure_mismatch(file: GivenFile, material: Material, session: Session) -> str | None:
    """Return a message unless the file is the network in integers; outputs are not compared."""
    facts = PROGRAM.given(session, "reads").ask("structure", file, material.network)
    if not isinstance(facts, dict):
        return "it is no network"
    return mismatch_of(cast(Facts, facts), len(file.data), len(material.network.data))


def mismatch_of(facts: Facts, size: int, before: int) -> str | None:
    """Return what is wrong with a file's structure, or None.

    size, before: bytes of file and source.
    """
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if facts["foreign"]:
        return f"it has {shown(facts['foreign'][0])}, which a quantized network does not need"
    nodes = facts["computing"]
    if len(nodes) != COMPUTING:
        return (
            f"{len(nodes)} nodes on the way to its output multiply by weights, where the network "
            f"has {COMPUTING}"
        )
    for operand in ("weight", "activation"):
        bad = [node for node in nodes if node[operand] != "static"]
        if len(nodes) - len(bad) >= LEAST_SHARE_INTEGER * len(nodes):
            continue
        how = "a float" if bad[0][operand] == "float" else "scaled anew in each call"
        reason = "its weights are floats" if operand == "weight" else f"what goes into it is {how}"
        return (
            f"{len(bad)} of {len(nodes)} are not computed with integers of a fixed scale: of the "
            f"{bad[0]['op']} {bad[0]['name']!r}, for one, {reason}"
        )
    if facts["unlike"]:
        return (
            f"the weights of {shown(facts['unlike'][0])} are those of no layer of the network: "
            "rounding and folding a normalization leave every output channel its direction"
        )
    if size > MOST_SHARE_OF_SIZE * before:
        return f"it has {size / before:.2f} of the float32 network's bytes: are weights in it twice"
    return None


def accuracy_mismatch(file: GivenFile, material: Material, session: Session) -> str | None:
    """Return a message if the file recognizes too few hidden signs, compared with float32."""
    float32 = _running(session, "float32", material.network)
    integers = _running(session, "integers", file)
    right = {"float32": 0, "integers": 0}
    for _ in range(SIGNS // AT_ONCE):
        number = seed(session.rng())
        classes = QUANTIZATION.generated(session, "classes", number, TensorSpec((AT_ONCE,), I64))
        case = _signs(session, number)
        for name, process in (("float32", float32), ("integers", integers)):
            right[name] += int((process.answer("run", case).argmax(1) == classes).sum())
    return too_many_lost(right["float32"], right["integers"], SIGNS)


def too_many_lost(before: int, after: int, signs: int) -> str | None:
    """Return a message if too many right answers are lost. before, after: right answers."""
    if before - after <= MOST_LOST * signs:
        return None
    return (
        f"of {signs} hidden signs {after} are right, and {before} with float32: "
        f"{100 * (before - after) / signs:.1f} % are lost; at most {100 * MOST_LOST:g} % may be"
    )


def distant(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return a message fragment if int8 logits are too far from float32's, else None."""
    return distance_mismatch(got, want, MOST_DISTANCE, "logits")


class _Pool:
    """Hidden signs for the timed calls: generated once, a random selection for each call."""

    def __init__(self) -> None:
        self.signs: Floats | None = None

    def entrant(self, session: Session) -> tuple[WorkerConnection, Candidate]:
        """Start our process that runs the candidate's file."""
        (signs,) = _signs(session, seed(session.rng())).arguments
        self.signs = cast(Any, signs).values
        file = FILE.file(session)
        return entrant(session, file, session_options.plain(session.launcher.threads))

    def fill(self, rng: Rng, call: PlacedCall, hostile: bool) -> None:
        """Fill in random signs; hostile: mirrored, and rolled around the edge."""
        assert self.signs is not None
        (pictures,) = call.inputs()
        picked = self.signs[rng.integers(0, len(self.signs), len(pictures))]
        pictures[...] = (
            np.roll(picked[..., ::-1], int(rng.integers(SIDE)), 3) if hostile else picked
        )


def _running(session: Session, purpose: str, file: GivenFile) -> Process:
    process = RUNNER.given(session, purpose)
    process.ask("load", file, session_options.plain(session.launcher.threads))
    return process


def _signs(session: Session, number: int) -> Case:
    pictures = TensorSpec((AT_ONCE, 3, SIDE, SIDE), FP32)
    signs = QUANTIZATION.generated(session, "signs", number, pictures)
    return Case("signs", (InputTensor(signs, FP32),), TensorSpec((AT_ONCE, CLASSES), FP32))


def _load_float32(worker: WorkerConnection, session: Session) -> None:
    worker.resolve("load", RUNNER.main, TIMEOUT_S)
    options = session_options.plain(session.launcher.threads)
    ask_plainly(worker, (QUANTIZATION.material(session).network, options), TIMEOUT_S)
