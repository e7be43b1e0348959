"""No bytes of a learner make a program of ours fail in a way that costs no points.

Who can choose `judge_error` can keep a zero pending. The readers of sources, file names, artifacts,
listings, linker maps, notebooks and replies get arbitrary bytes; what they raise must be the
candidate's by `blame.is_ours`, or nothing where no check runs yet. What a program raises that was
given the candidate's files is the candidate's, whatever it is (`Worker.trusted` is False), except
in the simulator, which tells apart what is the machine's.

HOTLOOP_FUZZ_EXAMPLES: examples of each test; the default takes seconds, 3000 some minutes.
"""

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotloop.core import wire
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Ruling, Verdict
from hotloop.course.repair import repair
from hotloop.engines.nvcc import compile as compiling
from hotloop.engines.simulate import build, toolchain
from hotloop.engines.simulate.worker import SimulatorWorker, is_the_machines
from hotloop.engines.trace import read as read_trace
from hotloop.judge import cuda_kernel, launch_plan, service, worker_connection
from hotloop.judge.exception_attribution import is_ours
from hotloop.judge.files import SubmissionFiles, digest, lay_out
from hotloop.judge.kernel_source import vet
from hotloop.judge.model_servers import require_sound
from hotloop.judge.not_attempted import without_blame, without_open
from hotloop.judge.notebook_release import Release
from hotloop.judge.reachable_code import reachable_code
from hotloop.worker import nvcc_compile
from hotloop.worker.notebook import UnreadableNotebook, read_cells

EXAMPLES = int(os.environ.get("HOTLOOP_FUZZ_EXAMPLES", "25"))
SETTINGS = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="HOTLOOP_FUZZ_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=list(HealthCheck),
)

# --- bytes ---------------------------------------------------------------------------------------

NASTY = (
    *(b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3\x28", b"9" * 5000),
    *(
        b"(" * 3000,
        b"[" * 3000,
        b"1e999",
        b"NaN",
        b"\r",
        b"a" * 300,
        b"../..",
        b"-1",
        b'"',
        b"\\u0",
    ),
)


def mutated(*texts: str) -> st.SearchStrategy[bytes]:
    """Draw arbitrary bytes, and texts into which nasty ones were put."""

    @st.composite
    def draw(draw: st.DrawFn) -> bytes:
        data = draw(st.sampled_from(texts)).encode()
        for _ in range(draw(st.integers(1, 3))):
            start = draw(st.integers(0, len(data)))
            end = min(len(data), start + draw(st.sampled_from([0, 1, 3, 20])))
            data = (
                data[:start]
                + draw(st.one_of(st.sampled_from(NASTY), st.binary(max_size=6)))
                + (data[end:])
            )
        return data

    return st.one_of(st.binary(max_size=200), draw())


values = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(max_size=8),
        st.sampled_from([10**400, -1, 2**63, "", "x" * 3000]),
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner),
    max_leaves=12,
)


def near(document: Any) -> st.SearchStrategy[Any]:
    """Draw documents of the same form, some of whose parts are arbitrary."""
    if isinstance(document, dict):
        parts = {key: near(value) for key, value in document.items()}
        same = st.fixed_dictionaries({}, optional=parts)
    elif isinstance(document, list):
        same = st.lists(st.one_of([near(part) for part in document] or [st.none()]), max_size=3)
    else:
        same = st.just(document)
    return st.one_of(same, same, same, values)


def _none_is_ours(read: Callable[[], object]) -> None:
    """Call; whatever is raised must be the candidate's."""
    try:
        read()
    except Ruling as ruling:
        if ruling.verdict.pending:
            raise
    except Exception as error:
        if is_ours(error):
            raise


# --- sources and file names ----------------------------------------------------------------------

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def kernel(x, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, tl.load(x + i, mask=i < n), mask=i < n)
"""


@SETTINGS
@given(mutated(KERNEL))
def test_a_source_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "source"
    folder.mkdir(exist_ok=True)
    (folder / "kernels.py").write_bytes(data)
    files = SubmissionFiles(folder)
    _none_is_ours(lambda: vet(files.read_text("kernels.py"), {"kernel"}, "kernels.py"))


names = st.one_of(
    st.binary(min_size=1, max_size=12),
    st.sampled_from(
        [b"\xff", b"a" * 255, b" ", b"-", b"\n", b"\x7f", b"a\\b", b"*", b"kernels.py"]
    ),
).filter(lambda name: not {0, ord("/")} & set(name) and name not in {b".", b".."})


@SETTINGS
@given(st.dictionaries(st.lists(names, min_size=1, max_size=3).map(tuple), st.binary(max_size=3)))
def test_file_names_are_read(
    tmp_path_factory: pytest.TempPathFactory, tree: dict[tuple[bytes, ...], bytes]
) -> None:
    folder = tmp_path_factory.mktemp("names")
    for path, data in tree.items():
        target = os.path.join(os.fsencode(folder), b"repository", *path)  # noqa: PTH118 - bytes
        with suppress(OSError):  # a file where another path has a folder
            os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
            Path(os.fsdecode(target)).write_bytes(data)
    files = SubmissionFiles(folder)
    digest(folder)
    _none_is_ours(lambda: lay_out(files.below("repository"), tmp_path_factory.mktemp("out")))
    for path in tree:
        name = os.fsdecode(b"/".join(path))
        _none_is_ours(lambda name=name: files.content(name))
        open_checks = [
            CheckRecord("a", Verdict.NOT_MEASURED, ""),
            CheckRecord("b", Verdict.COMPILE_ERROR, ""),
        ]
        without_open(without_blame(open_checks, "m", files), "m", [name], files)
        _none_is_ours(lambda name=name: reachable_code(folder, name))


# --- notebooks -----------------------------------------------------------------------------------

NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {"kernelspec": {"name": "python3"}},
    "cells": [
        {"cell_type": "code", "source": ["check('m.t')"], "metadata": {"nbgrader": {"grade": True}}}
    ],
}


@SETTINGS
@given(
    st.one_of(mutated(json.dumps(NOTEBOOK)), near(NOTEBOOK).map(lambda d: json.dumps(d).encode()))
)
def test_a_notebook_is_read(data: bytes) -> None:
    with suppress(UnreadableNotebook):
        read_cells(data, "m")
    release = Release("m", {"name": "python3"}, [], (), {}, ())
    json.dumps(repair(data, release).notebook)


# --- artifacts -----------------------------------------------------------------------------------

TRACE = json.dumps(
    {
        "schemaVersion": 1,
        "traceEvents": [
            {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1, "dur": 2},
            {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 9},
        ],
    }
)


@SETTINGS
@given(mutated(TRACE))
def test_a_trace_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    for name in ("trace.json", "trace.json.gz"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(data)
        _none_is_ours(lambda path=path: read_trace(path))


CONFIG = """
name: "m"
backend: "python"
max_batch_size: 8
default_model_filename: "model.py"
input [ { name: "x" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 4 ] label_filename: "labels.txt" } ]
version_policy { specific { versions: [ 1 ] } }
"""
ENSEMBLE = """
platform: "ensemble"
input [ { name: "x" data_type: TYPE_FP32 dims: [ 4 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 4 ] } ]
ensemble_scheduling { step [ { model_name: "m" model_version: -1
  input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } ] }
"""
ONNX = CONFIG.replace("python", "onnxruntime").replace("model.py", "model.onnx")


@SETTINGS
@given(
    mutated(CONFIG, ONNX),
    mutated(ENSEMBLE),
    mutated("def initialize(self, args): pass"),
    st.sampled_from(["1/model.py", "1/model.onnx", "1/model.onnx/x", "config.pbtxt/x"]),
)
def test_a_model_repository_is_read(
    tmp_path_factory: pytest.TempPathFactory, first: bytes, second: bytes, model: bytes, name: str
) -> None:
    pytest.importorskip("google.protobuf", reason="pip install 'hotloop[serving]'")
    folder = tmp_path_factory.mktemp("repository")
    files = {f"m/{name}": model, "all/config.pbtxt": second, "all/1/x": b""}
    if "config" not in name:
        files["m/config.pbtxt"] = first
    lay_out(files, folder)
    _none_is_ours(lambda: require_sound(folder))


@pytest.mark.parametrize("field", ["default_model_filename", "label_filename", "backend", "name"])
@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000, "\\000", "..", "", "\\377"], ids=range(6))
def test_a_name_in_a_model_repository_is_read(tmp_path: Path, field: str, name: str) -> None:
    pytest.importorskip("google.protobuf", reason="pip install 'hotloop[serving]'")
    lines = [line for line in CONFIG.splitlines() if not line.startswith(f"{field}:")]
    config = (
        "\n".join([*lines, f'{field}: "{name}"'])
        if field != "label_filename"
        else (CONFIG.replace("labels.txt", name))
    )
    lay_out({"m/config.pbtxt": config.encode(), "m/1/model.py": b"x"}, tmp_path)
    _none_is_ours(lambda: require_sound(tmp_path))


# --- listings and linker maps --------------------------------------------------------------------

LISTING = """
target triple = "wasm32-unknown-wasi"
@tile = addrspace(3) global [256 x float] undef, align 4, !dbg !1
@odd = global i32 0, align 4
define hidden void @_Z4copyPKfPfi(ptr %x, ptr %y, i32 %n) #0 !dbg !5 {
  ret void
}
attributes #0 = { "hotloop-kernel" }
"""
MAP = """
    Addr      Off     Size Out     In      Symbol
       -       2b       1d TYPE
     400      13c       40 .data
     400      13c        4                 odd
"""


@SETTINGS
@given(mutated(LISTING), mutated(MAP), st.binary(max_size=64))
def test_listings_and_maps_of_the_simulator_are_read(
    tmp_path_factory: pytest.TempPathFactory, listing: bytes, linked: bytes, wasm: bytes
) -> None:
    """The compilers are played: they write whatever a source could make them write."""
    pytest.importorskip("wasmtime", reason="pip install 'hotloop[cuda]'")

    def write(arguments: list[str], data: bytes) -> str:
        if "-o" in arguments:
            Path(arguments[arguments.index("-o") + 1]).write_bytes(data)
        for argument in arguments:
            if argument.startswith("-Map="):
                Path(argument.removeprefix("-Map=")).write_bytes(linked)
        return repr((listing, linked, wasm))

    folder = tmp_path_factory.mktemp("simulator")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HOTLOOP_SIMULATOR_CACHE", str(folder / "cache"))
        patch.setattr(toolchain, "clang", lambda arguments: write(arguments, listing))
        patch.setattr(
            toolchain, "link", lambda arguments: write(arguments, b"\0asm\1\0\0\0" + wasm)
        )
        patch.setattr(toolchain, "library", lambda name: folder / name)
        patch.setattr(toolchain, "headers", list)
        patch.setattr(build, "own_digest", lambda: "own")
        request = {"op": "build", "file": "kernels.cu", "source": "text"}
        reply = SimulatorWorker(folder).answer(request, [])
    assert "internal" not in reply, reply
    _none_is_ours(
        lambda: cuda_kernel._require_no_fault("a.cu", reply, built=False)  # pyright: ignore[reportPrivateUsage]
    )


@pytest.mark.parametrize(
    ("error", "machine"),
    [
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), False),
        (KeyError("_Z1f"), False),
        (RecursionError(), False),
        (MemoryError(), False),
        (OSError(28, "no space left on device"), False),
        (OSError(36, "file name too long"), False),
        (ImportError("wasmtime"), True),
        (OSError(24, "too many open files"), True),
        (OSError(13, "permission denied"), True),
    ],
)
def test_only_what_no_source_can_cause_is_the_machines(error: Exception, machine: bool) -> None:
    assert is_the_machines(error) is machine


LOG = """kernels.cu(12): error: identifier "x" is undefined
ptxas info    : Compiling entry function '_Z4copyPKfPfi' for 'sm_90'
ptxas info    : Used 12 registers, 4 bytes smem, 380 bytes cmem[0]
ptxas kernels.ptx, line 33; error   : x
"""
SASS = """.text._Z4copyPKfPfi:
\t//## File "/tmp/kernels.cu", line 7
        /*0010*/                   LDG.E.128 R4, [R2.64] ;
"""


@SETTINGS
@given(mutated(LOG), mutated(SASS), mutated(".entry _Z4copyPKfPfi\n.loc 1 7 1\nld.global.f32"))
def test_logs_and_listings_of_nvcc_are_read(log: bytes, sass: bytes, ptx: bytes) -> None:
    text = log.decode("utf-8", "replace")

    def read() -> object:
        asm = ptx.decode("utf-8", "replace")
        reply = {
            "ended": "done",
            "status": 0,
            "log": text,
            "read": None,
            "places": nvcc_compile._places(text, asm, Path("kernels.cu")),  # pyright: ignore[reportPrivateUsage]
            "names": {},
            "sass": sass.decode("utf-8", "replace"),
            "ptx": asm,
            "seconds": 0.0,
        }
        outcome = compiling.read("kernels.cu", 90, reply)
        return outcome.diagnostics(), outcome.compiled()

    _none_is_ours(read)


# --- replies -------------------------------------------------------------------------------------

PLAN = {
    "scratch": [{"bytes": 64, "fill": None}],
    "launches": [
        {
            "kernel": "kernel",
            "grid": [1, 1, 1],
            "num_warps": 4,
            "num_stages": 2,
            "arguments": {"x": {"tensor": "argument", "index": 0, "offset": 0, "dtype": "fp32"}},
        }
    ],
}
FAULT = {"fault": {"kind": "stumble", "message": "x", "line": 3, "trace": "x"}}
ERROR = {"ok": False, "error": {"type": "ValueError", "message": "x", "where": "a.py:1"}}
FINDING = {"kind": "race", "text": "x", "witnesses": [{"line": {"file": "a.cu", "line": 3}}]}


@SETTINGS
@given(mutated(json.dumps(ERROR), json.dumps({"ok": True, "returned": [{"json": [1.5]}]})))
def test_a_frame_is_decoded(body: bytes) -> None:
    with suppress(wire.WireError):
        message = wire.decode(body)
        wire.encode(message)  # what was received can be passed on


@SETTINGS
@given(near(PLAN), near(FAULT), near(ERROR), near(FINDING))
def test_replies_are_read(plan: Any, fault: Any, error: Any, finding: Any) -> None:
    _none_is_ours(lambda: launch_plan.read(plan, 2))
    if isinstance(fault, dict) and "internal" not in fault:
        _none_is_ours(
            lambda: cuda_kernel._require_no_fault("a.cu", fault, built=True)  # pyright: ignore[reportPrivateUsage,reportUnknownArgumentType]
        )
    if isinstance(error, dict):
        _none_is_ours(lambda: worker_connection.failure(error))
    if isinstance(finding, dict):
        _none_is_ours(lambda: cuda_kernel.sentence(finding))  # pyright: ignore[reportUnknownArgumentType]


evidence = st.dictionaries(
    st.text(max_size=5),
    st.one_of(
        values,
        st.sampled_from(
            [float("nan"), float("inf"), np.int64(3), np.ones(2), b"x", "x" * (1 << 21)]
        ),
    ),
)


@SETTINGS
@given(evidence, st.text(max_size=20))
def test_whatever_evidence_quotes_the_verdict_arrives(
    quoted: dict[str, Any], sentence: str
) -> None:
    check = CheckRecord("correct", Verdict.WRONG_ANSWER, sentence, evidence=quoted)
    circumstances = Circumstances("", "", "", "", "", {}, "", "none", "", 0.0)
    record = Record("m", "t", Verdict.WRONG_ANSWER, sentence, (check,), circumstances)
    document = service._sendable(record)  # pyright: ignore[reportPrivateUsage]
    body = wire.encode({"record": document, "ends": False})[wire.LENGTH.size :]
    arrived = Record.from_json(wire.decode(body)["record"])
    assert arrived.checks[0].verdict is Verdict.WRONG_ANSWER
