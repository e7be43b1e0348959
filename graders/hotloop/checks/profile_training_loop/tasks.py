"""What the judge asks of the tasks of module profile_training_loop."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from hotloop.checks.profile_training_loop import augmentation, clocks, recordings, traces
from hotloop.checks.profile_training_loop.meaning import Meaning, MeantReferee, told_all
from hotloop.checks.profile_training_loop.network import RESNET50, SMALL, Network
from hotloop.core import paths
from hotloop.judge.calls import Call
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import Check
from hotloop.judge.levels import Level
from hotloop.judge.rungs.answers import Answers
from hotloop.judge.rungs.correct import Correct
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.gpu_refereed import GpuRefereed, GpuRefereedFast
from hotloop.judge.rungs.learns import Learns
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.rungs.trace_read import TraceRead
from hotloop.judge.rungs.trace_recorded import TraceRecorded
from hotloop.judge.verification import Rows
from hotloop.judge.window import Workload
from hotloop.variants.variant import Variant

MODULE = "profile_training_loop"
LOOP_FILE = "training.py"
HARNESS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / MODULE
NETWORK_FILE = {"resnet.py": GIVEN / "resnet.py"}
LOOP_FILES = {"slow_loop.py": GIVEN / "slow_loop.py", **NETWORK_FILE}
SLOW_LOOP = Baseline(GIVEN / "slow_loop.py", "train", beside=NETWORK_FILE)
SLOW_AUGMENT = Baseline(HARNESS / "slow_augment.py", "augment_batch", beside=LOOP_FILES)
REFEREE = MeantReferee({"referee.py": HARNESS / "referee.py", **NETWORK_FILE}, "referee.py")

TIMED_IMAGES, TIMED_STEPS, TIMED_BATCH = 96, 4, 32
GPU_IMAGES, GPU_STEPS, GPU_BATCH = 1024, 8, 256
MARGIN = 0.1

# Provisional on every device that has no recorded run: module.yaml says where they come from.
AUGMENT_LEVELS = (Level(6.0, 0.5), Level(12.0, 1.0), Level(20.0, 0.0))
LOOP_LEVELS = (Level(1.5, 0.5), Level(2.0, 1.0), Level(3.0, 0.0))
GPU_LOOP_LEVELS = (Level(1.5, 0.5), Level(2.0, 1.0), Level(3.0, 0.0))


def honest_clock(variant: Variant | None = None) -> Check:
    """Two timers that are right on a device which works through a queue."""
    per = clocks.Per()
    if variant is not None and variant.constants:
        values = variant.constants
        per = clocks.Per(int(values["TIMED_STEPS"]), int(values["PHASE_STEPS"]))
    questions = partial(clocks.questions, per=per)
    return Check(Candidate("clock_trial", style="json"), {"correct": Answers(questions)})


def instrument(variant: Variant | None = None) -> Check:
    """A trace of a loop, with everything in it that was asked for."""
    between = "/"
    if variant is not None and variant.constants:
        between = f"/{variant.constants['RUN']}/"
    return Check(Candidate("record", style="json"), {"correct": TraceRecorded(between)})


def read_trace(variant: Variant | None = None) -> Check:
    """Figures from traces: made ones with a GPU in them, and the learner's own."""
    asked = traces.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        asked = traces.Asked(float(values["QUANTILE"]), int(values["LAUNCH_STEPS"]))
    return Check(
        Candidate("answers", style="json"),
        {
            "correct": Answers(partial(traces.questions, asked=asked)),
            "own": TraceRead("record", partial(traces.complaint_about, asked=asked)),
        },
    )


def diagnose(variant: Variant | None = None) -> Check:
    """Causes of four recorded sicknesses, each with its evidence."""
    asked = recordings.PLAIN
    if variant is not None and variant.constants:
        values = variant.constants
        asked = recordings.Asked(str(values["FILES"]), int(values["HOURS"]))
    questions = partial(recordings.questions, asked=asked)
    return Check(Candidate("diagnosis", style="json"), {"correct": Answers(questions)})


def augment(variant: Variant | None = None) -> Check:
    """The slow loop's augmentation, a batch at a time."""
    border = Meaning.of(variant).border
    return Check(
        Candidate("augment", LOOP_FILE, "destination"),
        {
            "correct": Correct(
                augmentation.cases,
                partial(augmentation.augmented, border=border),
                augmentation.tolerance,
            ),
            "fast_cpu": Fast(
                augmentation.workload(border),
                SLOW_AUGMENT,
                augmentation.fewest_bytes,
                AUGMENT_LEVELS,
                baseline_workload=augmentation.workload() if border else None,
            ),
        },
    )


def train(variant: Variant | None = None) -> Check:
    """The whole loop: the same training in less time."""
    meaning = Meaning.of(variant)
    referee = replace(REFEREE, meaning=meaning)
    loop = Fast(
        _loop_workload(SMALL, meaning, TIMED_IMAGES, TIMED_STEPS, TIMED_BATCH),
        SLOW_LOOP,
        lambda spec: spec.out.bytes,
        LOOP_LEVELS,
        fewest_flops=SMALL.flops,
        after=("learns",),
        seconds=90.0,
        baseline_workload=_plain_workload(SMALL, meaning, TIMED_IMAGES, TIMED_STEPS, TIMED_BATCH),
    )
    few = told_all(meaning, SMALL.cases)
    few_on_gpu = told_all(meaning, RESNET50.cases)
    return Check(
        Candidate("train", LOOP_FILE, "destination"),
        {
            "correct": Refereed(few, referee, "train", SMALL.disagreement),
            "learns": Learns(
                lambda rng: meaning.told_exam(SMALL.exam(rng)),
                referee,
                "train",
                "accuracy",
                MARGIN,
            ),
            "fast_cpu": RefereedFast(loop, referee, "train", SMALL.disagreement),
            "gpu_correct": GpuRefereed(few_on_gpu, referee, "train", RESNET50.disagreement),
            "gpu_fast": GpuRefereedFast(
                _loop_workload(RESNET50, meaning, GPU_IMAGES, GPU_STEPS, GPU_BATCH),
                SLOW_LOOP,
                referee,
                "train",
                RESNET50.disagreement,
                RESNET50.flops,
                GPU_LOOP_LEVELS,
                baseline_workload=_plain_workload(
                    RESNET50, meaning, GPU_IMAGES, GPU_STEPS, GPU_BATCH
                ),
            ),
        },
    )


def _loop_workload(
    network: Network, meaning: Meaning, images: int, steps: int, batch: int
) -> Workload:
    """What is right is the referee's affair."""
    spec = meaning.told_spec(network.call(images, steps, batch))
    return Workload(lambda _rng, _index: spec, network.fill)


def _plain_workload(
    network: Network, meaning: Meaning, images: int, steps: int, batch: int
) -> Workload | None:
    """The baseline's, where a candidate's meaning is another one; None where both have the same.

    What the baseline writes is compared with the referee's in the plain module.
    """
    if meaning == Meaning():
        return None
    plain = _loop_workload(network, Meaning(), images, steps, batch)
    return replace(plain, verify=_unverified)


def _unverified(_call: Call, _rows: Rows) -> None:
    """The baseline is ours."""
