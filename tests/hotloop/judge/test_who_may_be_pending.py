"""Every place that leaves points open, and why no candidate can choose to come to it.

A candidate who can choose to be pending never gets a zero. Whoever adds such a place answers the
question here: what would a submission have to do to reach it?
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import hotloop

HOTLOOP = Path(hotloop.__file__).parent
FOLDERS = ("author/external", "judge", "tasks/modules")
OPEN = {"UNDECIDED", "NOT_MEASURED", "JUDGE_ERROR"}

MACHINE = "It depends on what is installed or which device is there, before code of theirs runs."
AUTHORS = "It reads module.yaml or the check's own tables, which no submission changes."
OWN_TYPES = (
    "It is about the type of what an author's function returned, which its annotation promises and "
    "pyright checks. A list, dict or array that it hands on from the answer is the answer's fault."
)
OWN_INPUTS = (
    "The inputs are the judge's, and it is asked before the candidate is: no answer is there."
)
OWN_WORD = (
    "It is about the type or value of what a program of ours returned, whatever it was given; such "
    "a process that fails on a candidate's file is ruled on as the candidate's."
)
OWN_PROCESS = (
    "The process is ours, receives nothing from the candidate that it does not have to expect, and "
    "candidates stand still while it starts and computes (`bystanders`)."
)
BUSY = (
    "It needs a disturbed baseline. The candidate is frozen whenever the baseline runs, and "
    "its own slow or delayed windows, and the time to freeze and thaw its processes, are ruled on "
    "before (`_require_within_reach`, `_nothing_counted`, `_require_not_kept_waiting`)."
)
OTHERS_ON_GPU = (
    "`blame` has ended the candidate's process and the GPU is still in use, so others use it; or "
    "none of its processes was there yet."
)
NO_POINTS = "Problems of public sets give no points; a suite counts what is open as not solved."

PLACES = {
    "judge/author_guard.py _guarded.value": OWN_TYPES,
    "judge/exception_attribution.py our_failure": (
        "Reached for exceptions that `is_ours` attributes to the judge."
    ),
    "judge/budget.py Budget.time_is_up": (
        "The judge has waited for the candidate for less than a third of the task's time, and its "
        "own work needs less than the rest unless the machine is busy."
    ),
    "judge/client.py lost": (
        "The judge ends by itself 20 s after the task's time (`overrun`); it is lost if it was "
        "killed from outside, or hangs for 60 s."
    ),
    "judge/constants.py constant": "The variant is the course's; a request cannot bring its own.",
    "judge/cuda_kernel.py _require_no_fault": (
        "The simulator answers so for exceptions in its own code, after the file was proved "
        "well-formed."
    ),
    "judge/judge_fault.py ours": "It surrounds code that no answer can influence.",
    "judge/declared_shapes.py Each.__call__": "Reads only the task's YAML file.",
    "judge/judge_fault.py generated": "It surrounds code that no answer can influence.",
    "judge/gpu/ceiling.py ask_number": OWN_PROCESS,
    "judge/gpu/engine.py require_tensorrt": MACHINE,
    "judge/gpu/window.py TimedDeviceWorker._leg_in_time": OWN_PROCESS,
    "judge/gpu/workers.py card_for": MACHINE,
    "judge/gpu/workers.py require_capability": MACHINE,
    "judge/gpu/workers.py card_for_three": OTHERS_ON_GPU,
    "judge/gpu/workers.py require_nvcc": MACHINE,
    "judge/gpu/workers.py _require_jax": MACHINE,
    "judge/practice.py NoProcesses.start": "A practice verdict, which earns no points at all.",
    "judge/launcher.py Launcher.start": (
        "No code of the candidate has run in a process that has not said hello, and its other "
        "processes stand still meanwhile."
    ),
    "judge/load_window.py LoadedServer._rule": OWN_PROCESS,
    "judge/onnx/rewrites.py hidden_graphs": OWN_WORD,
    "judge/onnx/rewrites.py message_of": OWN_WORD,
    "judge/oracle.py _our_own": OWN_PROCESS,
    "judge/program.py Process.ask": AUTHORS,
    "judge/program.py Process.take": OWN_WORD,
    "judge/program.py Process._blamed": OWN_PROCESS,
    "judge/check.py judge_checks": MACHINE,
    "judge/checks/correct.py Case.truth": OWN_INPUTS,
    "judge/checks/correct.py Truth.require": "A check's author gave an oracle where none fits.",
    "judge/checks/correct.py agreement": OWN_INPUTS,
    "judge/checks/cuda_compiles.py _toolchain": MACHINE,
    "judge/checks/cuda_compiles.py _compile": MACHINE,
    "judge/checks/triton_kernel_calls.py TritonKernelCalls.judged": AUTHORS,
    "judge/checks/one_pass.py OnePass.__call__": "It counts the judge's cases, by their shapes.",
    "judge/checks/triton_traffic.py fewest": AUTHORS,
    "judge/session.py Session.reachable": AUTHORS,
    "judge/checks/gpu_fast.py take_off_protocol": (
        "It compares the baseline's empty legs with each other, relative to the side's leg: a "
        "shorter leg than the baseline's is a faster answer."
    ),
    "judge/checks/gpu_fast.py _others_use_it": OTHERS_ON_GPU,
    "judge/checks/fast.py Fast._reached_here": OWN_PROCESS,
    "judge/same_shapes.py with_values_of": AUTHORS,
    "judge/model_servers.py require_environment": MACHINE,
    "judge/model_servers.py require_sound": MACHINE,
    "judge/model_servers.py wait_ready": (
        "The server is of ours, or the candidate's was stopped, its other processes stand still, "
        "and a server of ours does not start either, or only after a long time."
    ),
    "judge/judging.py _fault": "An exception outside of all checks: no answer is read there.",
    "judge/session.py _unprepared": MACHINE,
    "judge/session.py Session.edited": AUTHORS,
    "judge/session.py Session.levels": AUTHORS,
    "judge/session.py Session.limits": AUTHORS,
    "judge/session.py Session.alone": AUTHORS,
    "judge/speed.py SpeedComparison._require_baseline_undisturbed": BUSY,
    "judge/speed.py SpeedComparison._require_second_baseline_alike": BUSY,
    "judge/speed.py SpeedComparison._too_noisy": BUSY,
    "judge/speed_record.py speed_share": BUSY,
    "judge/window.py TimedWorker._verify": OWN_PROCESS,
    "judge/verification.py _require": AUTHORS,
    "judge/worker_connection.py WorkerConnection._receive": OWN_PROCESS,
    "judge/worker_connection.py WorkerConnection.send": (
        "An answer came as JSON, so it can be sent as JSON."
    ),
    "judge/worker_connection.py WorkerConnection._death": (
        "The sandbox's own first process says so, before it executes the worker."
    ),
    "judge/worker_connection.py WorkerConnection._fail": OWN_PROCESS,
    "tasks/modules/profile_training_loop/whole_calls.py FastWholeCalls.__call__": MACHINE,
    "author/external/triton_traffic.py _no": (
        "`counted` turns it into a clause of a sentence; it is no verdict."
    ),
    "author/external/on_gpu.py RightOnGpu.__call__": OTHERS_ON_GPU,
    "author/external/on_gpu.py RightOnGpu._judge": (
        "It depends on the problem's sizes and on the GPU's memory."
    ),
    "author/external/on_gpu.py FastOnGpu._largest": (
        "It depends on the problem's sizes and on the GPU."
    ),
    "author/external/checks.py Evidence.require_enough": "It depends on the problem's own outputs.",
    "author/external/checks.py unfit": (
        "It is about the problem's own code, in a process without others."
    ),
    "author/external/own_work/check.py _open": NO_POINTS,
    "author/external/checks.py without_gpu": NO_POINTS,
    "tasks/modules/sparse_attention_op/standalone_kernel.py _touched": (
        "A page that our own process reads is not seen; the candidate's process cannot reach it."
    ),
    "tasks/modules/control_flow_export/breaks.py questions": OWN_WORD,
    "tasks/modules/control_flow_export/old_files.py _questions": OWN_WORD,
    "tasks/modules/control_flow_export/encoder_paths.py case_of": AUTHORS,
    "tasks/modules/control_flow_export/encoder_paths.py wasted": OWN_WORD,
    "tasks/modules/llm_serving_engine/scheduling.py simulator": AUTHORS,
    "tasks/modules/llm_serving_frontier/given.py given_module": AUTHORS,
    "tasks/modules/mixture_of_experts/overlaps.py timeline": AUTHORS,
    "tasks/modules/resnet_tensorrt/exported_files.py _frames": OWN_WORD,
    "tasks/modules/resnet_tensorrt/quantized.py fast": MACHINE,
    "tasks/modules/sparse_attention_op/patterns.py sampled": AUTHORS,
    "tasks/modules/sparse_attention_op/patterns.py gates_at_zero": AUTHORS,
    "tasks/modules/sparse_attention_op/plugins.py compiles": MACHINE,
    "tasks/modules/sparse_attention_op/silent_exports.py questions": OWN_WORD,
    "tasks/modules/triton_ensemble/analyzed.py _require_short_wait": (
        "The interval holds the limit, and the baseline was disturbed: where it is quiet, the "
        "noise is the candidate's own, and too slow."
    ),
    "tasks/modules/triton_ensemble/analyzed.py _confined": AUTHORS,
    "tasks/modules/triton_ensemble/called_over.py _start": MACHINE,
    "tasks/modules/triton_ensemble/called_over.py _relay": (
        "A sandbox's network has free ports unless its process holds them, which is ruled on, or "
        "has ended, which is ruled on."
    ),
    "tasks/modules/tvm_passes/readings.py functions": OWN_WORD,
    "tasks/modules/tvm_passes/readings.py reported": OWN_WORD,
    "tasks/modules/xla_vs_eager/given_files.py reported": OWN_WORD,
    "tasks/modules/xla_vs_eager/streams.py questions": OWN_WORD,
    "tasks/modules/yolo_on_mobile/quantized.py accuracy_mismatch": OWN_WORD,
}
SEVERAL = {
    "author/external/checks.py without_gpu": 2,
    "judge/constants.py constant": 2,
    "judge/judge_fault.py generated": 2,
    "judge/client.py lost": 2,
    "judge/checks/cuda_compiles.py _toolchain": 3,
    "judge/gpu/workers.py card_for": 2,
    "judge/gpu/workers.py require_nvcc": 2,
    "judge/model_servers.py wait_ready": 3,
    "tasks/modules/triton_ensemble/called_over.py _relay": 2,
}
"""Functions with more than one such place: a further one needs another look at the reason."""


def test_each_place_that_leaves_points_open_has_its_reason() -> None:
    found = Counter(
        f"{path.relative_to(HOTLOOP).as_posix()} {name}"
        for folder in FOLDERS
        for path in (HOTLOOP / folder).rglob("*.py")
        for name in _places(ast.parse(path.read_text(encoding="utf-8")), "")
    )
    assert sorted(found) == sorted(PLACES), "say here why no candidate can choose a new place"
    assert {name: count for name, count in found.items() if count > 1} == SEVERAL


def test_a_place_is_found_in_each_way_of_writing_it() -> None:
    written = """
class CheckFunction:
    def one(self):
        raise Ruling(Verdict.UNDECIDED, "")
    def two(self):
        return Verdict.NOT_MEASURED, "too noisy"
    def three(self, late=lambda: Ruling(Verdict.UNDECIDED, "")):
        raise JudgeFault("")
    def none(self):
        if ruling.verdict is Verdict.UNDECIDED:
            raise Ruling(Verdict.TOO_SLOW, "")
        return CheckRecord("", Verdict.PASSED, "")
def four():
    return CheckRecord("", verdict=Verdict.JUDGE_ERROR)
"""
    found = [*_places(ast.parse(written), "")]
    assert found == [
        "CheckFunction.one",
        "CheckFunction.two",
        "CheckFunction.three",
        "CheckFunction.three",
        "four",
    ]


def _places(node: ast.AST, inside: str) -> Iterator[str]:
    """Yield the name of the function around each place, in order."""
    for child in ast.iter_child_nodes(node):
        name = inside
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{inside}.{child.name}".lstrip(".")
        if _leaves_open(child):
            yield name
        yield from _places(child, name)


def _leaves_open(node: ast.AST) -> bool:
    if isinstance(node, ast.Return):
        return isinstance(node.value, ast.Tuple | ast.Attribute) and _names_open(node.value)
    if not isinstance(node, ast.Call):
        return False
    made = node.func.id if isinstance(node.func, ast.Name) else ""
    given = [*node.args, *(each.value for each in node.keywords)]
    return made == "JudgeFault" or (
        made in {"Ruling", "CheckRecord", "Record"} and any(map(_names_open, given))
    )


def _names_open(node: ast.AST) -> bool:
    parts = [node] if isinstance(node, ast.Attribute) else ast.iter_child_nodes(node)
    return any(isinstance(part, ast.Attribute) and part.attr in OPEN for part in parts)
