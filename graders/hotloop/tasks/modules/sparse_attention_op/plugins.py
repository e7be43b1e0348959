"""Tasks 13 and 14: TensorRT plugins, called on the host through a stub of TensorRT's interface.

The stub follows the documented signatures, not the binary layout. It shows that a plugin's answers
are right, not that TensorRT accepts the plugin; that needs TensorRT's headers and a GPU.

The stub's caller shares its process with the plugin, which could answer in its place. So
nothing is asked but hidden questions: a type, a shape, a size, a result. What a stored engine knows
is asked in a second process, which receives the stored bytes and nothing else of the node.
"""

from __future__ import annotations

import json
import re
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import CheckFunction, check
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.checks.correct import agreement, ruling_about
from hotloop.judge.dtypes import FP16, FP32, DType
from hotloop.judge.program import ANSWERS, Process, Program
from hotloop.judge.questions import shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL
from hotloop.tasks.modules.sparse_attention_op import truth
from hotloop.tasks.modules.sparse_attention_op.files import number, program, submitted
from hotloop.tasks.modules.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    Sample,
    sampled,
    tolerance,
)
from hotloop.tasks.modules.sparse_attention_op.references import odd_length

NAME, VERSION = "SparseAttention", "1"
FLOAT, HALF, OTHER_TYPES = 0, 1, (2, 3, 7, 8)
LINEAR, OTHER_FORMATS = 0, (1, 2, 4)
THRESHOLD, OUTPUT = 3, 4
ALIGNMENT = 4096
"""Bytes to which a plugin may round a workspace up."""
ATTRIBUTES = {"block", "causal"}
CARRYING = ("clone", "attach_to_context", "get_fields_to_serialize")
"""Methods of a Python plugin that TensorRT calls to clone it, for each context, and to store it."""

HEADERS = ("NvInferRuntime.h", "cuda_runtime_api.h")
PLACES = (
    Path(sys.prefix) / "include",
    *sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/*/include")),
    Path("/usr/include/x86_64-linux-gnu"),
    Path("/usr/include"),
    Path("/usr/local/cuda/include"),
    Path("/usr/local/tensorrt/include"),
)
"""Where headers are looked for. No wheel has TensorRT's; NVIDIA's repository has them under
Apache-2.0. The first place is for them, the second one is where wheels of CUDA put theirs."""
REMEDY = (
    "pip install nvidia-cuda-runtime nvidia-cuda-crt, and copy include/ of "
    f"https://github.com/NVIDIA/TensorRT to {Path(sys.prefix) / 'include'}; or apt-get install "
    "libnvinfer-headers-dev cuda-cudart-dev-13-0, from NVIDIA's packages"
)

Sizes = tuple[int, int, int, int]


STUB = "tensorrt_stub"
CPP = program(
    "plugin_caller.py",
    "plugin_caller.cpp",
    exercise=(*(f"{STUB}/{header}" for header in HEADERS), "launch_attention.h"),
    believed=ANSWERS,
)
PYTHON = program(
    "plugin_python_caller.py",
    exercise=(f"{STUB}/tensorrt.py", "plugin_launch.py"),
    believed=ANSWERS,
)
"""The C++ and the Python program call a plugin in the same way."""


def checks(caller: Program) -> dict[str, CheckFunction]:
    """Return the checks of a plugin: description, planning, copying and results.

    caller: the program that calls the plugin.
    """
    return {
        "described": Assertions(
            partial(_describes, caller=caller),
            "Its names, its types and its shape are those of q.",
        ),
        "planned": Assertions(
            partial(_plans, caller=caller),
            "It takes the types it can, and memory for the largest shape.",
            after=("described",),
        ),
        "carried": Assertions(
            partial(_carries, caller=caller),
            "What it stores is all that another process needs; clones and contexts answer alike.",
            after=("planned",),
        ),
        "enqueued": _enqueued.bind(caller=caller),
    }


def _creators(session: Session, caller: Program) -> list[object]:
    """Return what the plugin's creators report.

    Raises Ruling if the plugin cannot be built.
    """
    process = caller.given(session, "tries")
    return session.once("creators", lambda: as_list(process.ask("load", submitted(session))))


def _loaded(session: Session, caller: Program) -> Process:
    """Return the process that has loaded the plugin."""
    _creators(session, caller)
    return caller.given(session, "tries")


def _restored(plugin: int, session: Session, caller: Program) -> tuple[int, Process]:
    """Store a plugin, which ends, and restore it in a process that knows only what was stored."""
    fields = _loaded(session, caller).ask("stored", plugin)
    if not isinstance(fields, str):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    process = caller.given(session, "restores")
    session.once("restoring", lambda: [process.ask("load", submitted(session))])
    return number(process.ask("restored", fields)), process


def _describes(session: Session, caller: Program) -> Iterator[Assertion]:
    rng = session.rng()

    def creator() -> str | None:
        creators = [as_message(each) or {} for each in _creators(session, caller)]
        if len(creators) != 1:
            return f"{len(creators)} creators are registered, and one is required"
        fields = {str(as_list(field)[0]) for field in as_list(creators[0].get("fields"))}
        if not fields.issuperset(ATTRIBUTES):
            return f"it asks the parser for the attributes {shown(sorted(fields))}"
        return _misnamed(creators[0])

    yield Assertion("The creator", creator)
    for _ in range(2):
        sizes = _sizes(rng)
        label = f"A node for {_bracketed(sizes)}"
        yield Assertion(label, partial(_undescribed, sizes, rng, session, caller))


def _misnamed(answer: Mapping[str, object]) -> str | None:
    if (answer.get("name"), answer.get("version")) != (NAME, VERSION):
        return f"it is {shown(answer.get('name'))} in version {shown(answer.get('version'))}"
    return None


def _undescribed(sizes: Sizes, rng: Rng, session: Session, caller: Program) -> str | None:
    process = _loaded(session, caller)
    plugin = number(process.ask("made", *_attributes(rng)))
    answer = as_message(process.ask("described", plugin, json.dumps(sizes))) or {}
    if answer.get("capabilities") != 7:
        return "of core, build and runtime, getCapabilityInterface does not give each as what it is"
    if answer.get("outputs") != 1:
        return f"it has {shown(answer.get('outputs'))} outputs"
    if answer.get("types") != [FLOAT, HALF]:
        return "the output's type is not that of q"
    if answer.get("shape") != list(sizes):
        return f"its output has the shape {shown(answer.get('shape'))}"
    return _misnamed(answer)


def _plans(session: Session, caller: Program) -> Iterator[Assertion]:
    rng = session.rng()
    yield Assertion("Types and formats", lambda: _wrong_formats(rng, session, caller))
    for _ in range(3):
        block, causal = _attributes(rng)
        yield Assertion(
            f"The workspace for blocks of {block}",
            partial(_wrong_workspace, (block, causal), rng, session, caller),
        )


def _wrong_formats(rng: Rng, session: Session, caller: Program) -> str | None:
    process = _loaded(session, caller)
    plugin = number(process.ask("made", *_attributes(rng)))
    calls = list(combinations(rng))
    answers = as_list(process.ask("supports", plugin, json.dumps(calls)))
    for (position, types, formats), got in zip(calls, answers, strict=True):
        want = supported(position, types, formats)
        if got is not want:
            verb = "takes" if got else "refuses"
            name = ("q", "k", "v", "threshold", "the output")[position]
            kinds = f"type {types[position]} and format {formats[position]}"
            return f"it {verb} {kinds} for {name}, where q has type {types[0]}"
    return None


def combinations(rng: Rng) -> Iterator[tuple[int, list[int], list[int]]]:
    """Yield a position with types and formats; all others are right, only the position's vary."""
    for half, position in product((FLOAT, HALF), range(OUTPUT + 1)):
        good = [half] * (OUTPUT + 1)
        good[THRESHOLD] = FLOAT
        linear = [LINEAR] * (OUTPUT + 1)
        for last in (FLOAT, HALF, *OTHER_TYPES):
            yield position, [*good[:position], last, *good[position + 1 :]], linear
        other = int(rng.choice(OTHER_FORMATS))
        yield position, good, [*linear[:position], other, *linear[position + 1 :]]


def supported(position: int, types: Sequence[int], formats: Sequence[int]) -> bool:
    """Return whether a plugin that computes in q's type supports the tensor at `position`.

    Only the types and formats up to `position` count.
    """
    if formats[position] != LINEAR:
        return False
    if position == 0:
        return types[0] in {FLOAT, HALF}
    return types[position] == (FLOAT if position == THRESHOLD else types[0])


def _wrong_workspace(
    node: tuple[int, int], rng: Rng, session: Session, caller: Program
) -> str | None:
    process = _loaded(session, caller)
    plugin = number(process.ask("made", *node))
    least, usual, most = _profile(rng)
    got = process.ask("workspace", plugin, *map(json.dumps, (least, usual, most)), 0)
    want = workspace(most, node[0])
    if isinstance(got, int) and want <= got <= 2 * want + ALIGNMENT:
        return None
    return f"for up to {_bracketed(most)} it asks for {shown(got)} bytes, and {want} are needed"


def workspace(sizes: Sizes, block: int) -> int:
    """Return the workspace in bytes, by the formula of launch_attention.h."""
    blocks = -(-sizes[2] // block)
    return 4 * sizes[0] * sizes[1] * blocks * (blocks + 1)


def _carries(session: Session, caller: Program) -> Iterator[Assertion]:
    if caller is PYTHON:  # the compiler asks this of a plugin in C++
        yield Assertion("The plugin's file", lambda: _missing_method(session.source()))
    rng = session.rng()
    labels = {"cloned": "A clone", "attached": "A context", "restored": "A stored engine"}
    for (how, label), causal in product(labels.items(), (0, 1)):
        block = int(rng.choice([8, 16, 32]))
        yield Assertion(
            f"{label} of block {block} and causal {causal}",
            partial(_copy_mismatch, how, (block, causal), rng, session, caller),
        )


def _missing_method(source: str) -> str | None:
    """Return a message about a method that no line of the source defines, or None.

    The plugin's process could answer without it; TensorRT calls it.
    """
    for name in CARRYING:
        if re.search(rf"\bdef\s+{name}\b|\b{name}\s*[:=]|[\"']{name}[\"']", source) is None:
            return f"it defines no `{name}`, which TensorRT calls: define it in the plugin's class"
    return None


def _copy_mismatch(
    how: str, node: tuple[int, int], rng: Rng, session: Session, caller: Program
) -> str | None:
    """Compare a plugin made from another, which may be destroyed; return a message or None."""
    block, causal = node
    process = _loaded(session, caller)
    plugin = number(process.ask("made", block, causal))
    if how == "restored":
        plugin, process = _restored(plugin, session, caller)
    else:
        plugin = number(process.ask(how, plugin))
    shape = (1, 2, odd_length(rng, block, 4), 16)
    sample = sampled(rng, shape, block, causal=bool(causal), fixed=(None, FULL))
    try:
        _require_right("it", sample, plugin, workspace(shape, block), process)
    except Ruling as ruling:
        if ruling.verdict is not Verdict.WRONG_ANSWER:
            raise
        return "it computes something else than the plugin that the node gave"
    return None


@check(after=("carried",))
def _enqueued(session: Session, caller: Program) -> str:
    """Call two execution contexts in turns with edge-case shapes, dtypes and thresholds.

    Each output is compared with float64.
    """
    rng = session.rng()
    calls = 0
    for causal in (0, 1):
        block = int(rng.choice([8, 16]))
        calls += _two_contexts(block, causal, rng, session, caller)
    session.note(calls=calls)
    return f"Right in all {calls} calls of two contexts each, on the host."


def _two_contexts(block: int, causal: int, rng: Rng, session: Session, caller: Program) -> int:
    """Attach two contexts to one plugin from a stored engine; return the number of calls."""
    process = _loaded(session, caller)
    built = number(process.ask("made", block, causal))
    most: Sizes = (3, 2, 6 * block, 32)
    profile = [json.dumps(sizes) for sizes in ((1, 2, 1, 32), (2, 2, 4 * block, 32), most)]
    _require_code("configurePlugin", process.ask("configured", built, *profile, 0))
    size = process.ask("workspace", built, *profile, 0)
    room = size if isinstance(size, int) else 0
    engine, process = _restored(built, session, caller)
    contexts = [number(process.ask("attached", engine)) for _ in range(2)]
    rounds = list(_rounds(block, bool(causal), rng))
    for pair in rounds:
        for plugin, (_, sample) in zip(contexts, pair, strict=True):
            sizes, half = json.dumps(sample.shape), int(sample.dtype is FP16)
            _require_code("onShapeChange", process.ask("shaped", plugin, sizes, half))
        for plugin, (label, sample) in zip(contexts, pair, strict=True):
            _require_right(label, sample, plugin, room, process, int(rng.integers(1, 1 << 40)))
    return 2 * len(rounds)


def _rounds(
    block: int, causal: bool, rng: Rng
) -> Iterator[tuple[tuple[str, Sample], tuple[str, Sample]]]:
    """Yield the pairs of inputs that two contexts get at a time."""

    def one(
        batch: int, length: int, dtype: DType = FP32, fixed: tuple[float | None, ...] = ()
    ) -> Sample:
        shape = (batch, 2, length, 32)
        return sampled(rng, shape, block, causal=causal, dtype=dtype, fixed=fixed)

    long, short = 6 * block, 2 * block - 1
    yield ("The largest shape", one(3, long)), ("A short one beside it", one(1, short))
    yield (
        ("A last block that is shorter", one(2, odd_length(rng, block, 5))),
        ("float16 beside float32", one(1, 3 * block, FP16)),
    )
    yield (
        ("A full and an empty head", one(1, 3 * block + 1, fixed=(FULL, EMPTY))),
        ("One token", one(1, 1, fixed=(EMPTY, FULL))),
    )


@check(after=("enqueued",))
def compiles(session: Session) -> str:
    """Compile with TensorRT's and CUDA's headers if they are installed; nothing is linked.

    Raises Ruling (NOT_MEASURED) if a header is missing.
    """
    folders = [next((p for p in PLACES if (p / header).is_file()), None) for header in HEADERS]
    if None in folders:
        missing = HEADERS[folders.index(None)]
        sentence = f"{missing} is missing on this machine: {REMEDY}"
        raise Ruling(Verdict.NOT_MEASURED, sentence)
    process = CPP.given(session, "compiles")  # it never loads the plugin
    process.ask("compiles", submitted(session), [str(folder) for folder in folders])
    return "It compiles with TensorRT's own headers; no engine was built."


def _require_right(
    label: str, sample: Sample, plugin: int, room: int, process: Process, stream: int = 0
) -> None:
    case = sample.case(label)
    call = replace(case, arguments=(*case.arguments[:4], plugin, room, stream))
    with ruling_about(call):
        answer = process.answer("run", call)
        agreement(case, truth.attention, tolerance)(answer)


def _require_code(name: str, code: object) -> None:
    if code != 0:
        raise Ruling(Verdict.WRONG_ANSWER, f"{name} returned {shown(code)}, which is a failure.")


def _attributes(rng: Rng) -> tuple[int, int]:
    return int(rng.choice([8, 16, 32])), int(rng.integers(2))


def _sizes(rng: Rng) -> Sizes:
    batch, heads, length = (int(rng.integers(*ends)) for ends in ((1, 5), (2, 9), (33, 900)))
    return batch, heads, 2 * length + 1, int(rng.choice([32, 64]))


def _profile(rng: Rng) -> tuple[Sizes, Sizes, Sizes]:
    """Sample the minimum, optimum and maximum shape; batch and length vary."""
    batch, heads, length, depth = _sizes(rng)
    most = (batch + 3, heads, 3 * length, depth)
    return (1, heads, 1, depth), (batch, heads, length, depth), most


def _bracketed(sizes: Sizes) -> str:
    return f"[{', '.join(map(str, sizes))}]"
