"""The check: kernels of a submitted file compile, do not spill, and use wide loads."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.engines.nvcc.toolchain import Toolchain
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import cuda_compiles
from hotloop.judge.checks.cuda_compiles import CudaCompiles
from hotloop.judge.files import MAX_TEXT
from hotloop.judge.launcher import GIB, Launcher
from hotloop.judge.session import Session
from hotloop.sandbox.level import level

from ...sessions import new_session

SOURCES = Path(__file__).parent / "sources"
SECRET = "a-solution-that-nobody-may-see"
Judge = Callable[..., CheckRecord]


@pytest.fixture(params=["none"])
def isolation(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def judge(tmp_path: Path, isolation: str) -> Iterator[Judge]:
    """Judges a text, or one of `sources/`, as a submitted file."""
    folder = tmp_path / "submission"
    folder.mkdir()
    sessions: list[Session] = []

    def judged(text: str | None, name: str = "copies.cu", **check: Any) -> CheckRecord:
        (folder / name).write_text((SOURCES / name).read_text() if text is None else text)
        launcher = check.pop("launcher", Launcher(isolation))
        session = new_session(folder, launcher=launcher)
        sessions.append(session)
        values: dict[str, Any] = {"kernels": ("scalar",), "targets": (90,), "after": ()} | check
        candidate = Candidate("launch", name)
        (record,) = judge_checks({"compiles": CudaCompiles(**values)}, session.about(candidate))
        return record

    yield judged
    for session in sessions:
        session.close()


def evidence(record: CheckRecord) -> dict[tuple[str, str], dict[str, Any]]:
    return {(k["kernel"], k["target"]): k for k in record.evidence["kernels"]}


# --- with what was recorded -----------------------------------------------------------------------


@pytest.mark.slow
def test_good_kernels_pass_with_their_figures(fake: Path, judge: Judge) -> None:
    named = ("through_shared", "vector_and_tail")
    record = judge(None, kernels=named, targets=(80, 90), min_load_bytes=16)
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.sentence == (
        "Compiles for sm_80, sm_90: at most 14 registers a thread, 0 bytes spilled, widest loads "
        "of 16 bytes or more, occupancy at least 100% with 256 threads a block."
    )
    figures = evidence(record)
    assert len(figures) == 4
    found = figures["through_shared<float4, 1>", "sm_90"]
    assert (found["load_bytes"], found["store_bytes"], found["shared_bytes"]) == (16, 16, 4096)
    assert (found["accesses_from"], found["occupancy"]) == ("SASS", 1.0)
    assert any("Nothing spills" in sentence for sentence in found["sentences"])


@pytest.mark.slow
def test_tasks_that_share_a_file_compile_it_once(
    fake: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    process = cuda_compiles.kernel_process

    def counted(session: Session, program: str, environment: dict[str, str]) -> Any:
        started.append(program)
        return process(session, program, environment)

    monkeypatch.setattr(cuda_compiles, "kernel_process", counted)
    monkeypatch.setattr(cuda_compiles, "_compiled", {})
    for kernel in ("through_shared", "vector_and_tail", "through_shared"):
        record = judge(None, kernels=(kernel,), targets=(80, 90))
        assert record.verdict is Verdict.PASSED
        assert all(kernel in name for name, _ in evidence(record))
    assert len(started) == 1
    text = (SOURCES / "copies.cu").read_text()
    judge(f"{text}\n// changed", kernels=("through_shared",), targets=(80, 90))
    assert len(started) == 2


@pytest.mark.slow
def test_narrow_loads_are_too_slow(fake: Path, judge: Judge) -> None:
    assert judge(None, kernels=("scalar",)).verdict is Verdict.PASSED
    record = judge(None, kernels=("scalar", "vector_and_tail"), min_load_bytes=16)
    assert (record.verdict, record.earned) == (Verdict.TOO_SLOW, 0.0)
    assert record.sentence.startswith(
        "`scalar` on sm_90 loads 4 bytes a thread with its widest instruction, 16 are asked for "
        "(line 18): load a float4"
    )
    assert evidence(record)["scalar", "sm_90"]["load_bytes"] == 4
    assert judge(None, kernels=("scalar",), min_load_bytes=4).verdict is Verdict.PASSED


@pytest.mark.slow
def test_spills_are_too_slow(fake: Path, judge: Judge) -> None:
    record = judge(None, "spills.cu", kernels=("spills", "indexed"))
    assert (record.verdict, record.earned) == (Verdict.TOO_SLOW, 0.0)
    assert record.sentence.startswith(
        "`spills` on sm_90 spills 228 bytes of registers to memory, 0 are allowed: unroll less"
    )
    assert judge(None, "spills.cu", kernels=("indexed",)).verdict is Verdict.PASSED
    for most, verdict in ((227, Verdict.TOO_SLOW), (228, Verdict.PASSED), (None, Verdict.PASSED)):
        record = judge(None, "spills.cu", kernels=("spills",), max_spill_bytes=most)
        assert record.verdict is verdict


@pytest.mark.slow
def test_a_compile_error_comes_with_file_line_and_message(fake: Path, judge: Judge) -> None:
    record = judge(None, "undefined.cu")
    assert (record.verdict, record.earned) == (Verdict.COMPILE_ERROR, 0.0)
    assert record.sentence == (
        "undefined.cu, line 2: It does not compile for sm_90: "
        'identifier "missing_factor" is undefined.'
    )
    assert "x[0] = missing_factor * x[0];" in record.evidence["messages"]


@pytest.mark.slow
def test_an_error_of_the_assembler_has_the_sources_line(fake: Path, judge: Judge) -> None:
    record = judge(None, "inline_ptx.cu")
    assert record.verdict is Verdict.COMPILE_ERROR
    assert record.sentence.startswith("inline_ptx.cu, line 3: It does not compile for sm_90: ")
    record = judge(None, "greedy_shared.cu")
    assert record.verdict is Verdict.COMPILE_ERROR
    assert "uses too much shared data" in record.sentence


@pytest.mark.slow
def test_a_kernel_that_is_not_there(fake: Path, judge: Judge) -> None:
    record = judge(None, kernels=("scalar", "softmax"))
    assert (record.verdict, record.earned) == (Verdict.WRONG_ANSWER, 0.0)
    assert record.sentence.startswith("copies.cu compiles, but has no kernel `softmax` for sm_90")


@pytest.mark.slow
def test_a_block_that_cannot_be_launched(fake: Path, judge: Judge) -> None:
    dynamic = 227 << 10
    record = judge(None, kernels=("through_shared",), dynamic_shared_bytes=dynamic)
    assert record.verdict is Verdict.COMPILE_ERROR
    assert "cannot be launched with 256 threads a block" in record.sentence
    assert "too much of shared memory" in record.sentence
    fits = judge(None, kernels=("through_shared",), dynamic_shared_bytes=dynamic - 4096)
    assert fits.verdict is Verdict.PASSED


def test_without_nvcc_nothing_is_measured(bare: Path, judge: Judge) -> None:
    record = judge("__global__ void scalar(float*) {}")
    assert (record.verdict, record.earned) == (Verdict.NOT_MEASURED, 0.0)
    assert record.verdict.pending
    assert "nvcc is missing" in record.sentence
    assert "pip install 'cuda-toolkit[nvcc" in record.sentence


@pytest.mark.slow
def test_without_a_disassembler_ptx_is_judged_and_what_it_hides_must_be_inlined(
    install: Callable[..., Path], bare: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{install('nvcc')}:{bare}:/usr/bin:/bin")
    record = judge(None, kernels=("vector_and_tail",), min_load_bytes=16)
    if record.evidence["kernels"][0]["accesses_from"] == "SASS":
        pytest.skip("a disassembler is installed for the whole system")
    assert record.verdict is Verdict.PASSED
    assert judge(None, kernels=("scalar",), min_load_bytes=8).verdict is Verdict.TOO_SLOW
    hidden = judge(None, kernels=("by_call",), min_load_bytes=16)
    assert hidden.verdict is Verdict.TOO_SLOW  # pending would be the candidate's choice
    assert "declare functions that load __forceinline__" in hidden.sentence
    unread = judge(None, instructions=("SYNCS",))
    assert unread.verdict is Verdict.NOT_MEASURED
    assert "nvdisasm is missing" in unread.sentence


@pytest.mark.slow
def test_a_compiler_that_hangs_or_babbles(fake: Path, judge: Judge) -> None:
    record = judge("// fake: hang 600\n", timeout_s=1)
    assert record.verdict is Verdict.TIMEOUT
    assert record.sentence.startswith("nvcc did not end within 1 s for sm_90: look for")
    assert judge("// fake: babble\n").verdict is Verdict.OUTPUT_LIMIT


@pytest.mark.slow
def test_what_a_foreign_file_holds_is_not_told(fake: Path, judge: Judge, tmp_path: Path) -> None:
    secret = tmp_path / "solution.cu"
    secret.write_text(SECRET)
    record = judge(f"// fake: read {secret}\n")
    assert record.verdict is Verdict.COMPILE_ERROR
    assert "includes a file that is no header" in record.sentence
    assert "secret words" not in str(record)
    # A header of the toolkit may be quoted, as a wrong type is often reported there.
    header = SOURCES.parent / "recorded" / "copies.ptx"
    record = judge(f"// fake: read {header}\n")
    assert record.sentence.startswith("copies.ptx, line 1: It does not compile for sm_90: secret")


@pytest.mark.slow
def test_nothing_is_quoted_when_it_is_not_known_what_was_read(fake: Path, judge: Judge) -> None:
    record = judge("// fake: unread /etc/passwd\n")
    assert record.sentence == ("copies.cu, line 3: It does not compile for sm_90: missing #endif.")
    assert record.evidence["messages"] == "copies.cu:3:2: error: missing #endif"
    assert "secret words" not in str(record)


@pytest.mark.parametrize(
    ("read", "known"),
    [
        ("softmax.cu", True),
        ("<built-in>", True),
        ("/toolkit/bin/../include/cuda.h", True),
        ("/toolkit/../etc/passwd", False),
        ("/toolkits/secret", False),
        ("../other/secret.cu", False),
        ("/etc/passwd", False),
    ],
)
def test_which_files_are_headers(read: str, known: bool) -> None:
    assert cuda_compiles._known(read, (Path("/toolkit"),)) is known


@pytest.mark.parametrize(
    "reply",
    [
        {},
        {"read": 3, "ended": "done", "status": 0, "log": ""},
        {"ended": "done", "status": "x", "log": "", "read": None},
        {
            "ended": "done",
            "status": 0,
            "log": "",
            "read": None,
            "places": [],
            "names": {},
            "sass": None,
            "ptx": "",
            "seconds": 0,
        },
    ],
)
def test_an_answer_that_is_none_is_tampered_with(
    fake: Path, judge: Judge, monkeypatch: pytest.MonkeyPatch, reply: dict[str, Any]
) -> None:
    monkeypatch.setattr(cuda_compiles.WorkerConnection, "request", lambda *_: {"ok": True, **reply})
    assert judge(None).verdict is Verdict.TAMPERED


def test_a_file_that_is_too_long_or_missing(fake: Path, judge: Judge) -> None:
    assert judge("/" * (MAX_TEXT + 1)).verdict is Verdict.OUTPUT_LIMIT


def test_an_earlier_check_comes_first() -> None:
    assert CudaCompiles(kernels=("k",)).after == ("correct",)


# --- with nvcc itself, confined -------------------------------------------------------------------

KERNEL = "__global__ void scalar(float* x) { x[0] = 1.0f; }\n"


@pytest.fixture
def confined(real: Toolchain, isolation: str) -> None:
    """Skips tests that need a sandbox if this machine has none."""
    if isolation != "none" and level()[0] == "none":
        pytest.skip(level()[1])


in_both = pytest.mark.parametrize(
    "isolation",
    ["none", pytest.param("bubblewrap", marks=pytest.mark.sandbox)],
    indirect=True,
)
in_the_sandbox = pytest.mark.parametrize(
    "isolation", [pytest.param("bubblewrap", marks=pytest.mark.sandbox)], indirect=True
)


@pytest.mark.slow
@in_both
def test_nvcc_passes_and_fails_the_same_kernels(
    real: Toolchain, confined: None, judge: Judge
) -> None:
    record = judge(None, kernels=("vector_and_tail",), targets=(75, 80, 90), min_load_bytes=16)
    assert record.verdict is Verdict.PASSED, record.sentence
    assert len(record.evidence["kernels"]) == 3
    record = judge(None, kernels=("scalar",), min_load_bytes=16)
    assert record.verdict is Verdict.TOO_SLOW
    assert "(line 18)" in record.sentence
    record = judge(None, "spills.cu", kernels=("spills",))
    assert record.verdict is Verdict.TOO_SLOW
    assert "spills" in record.sentence
    record = judge(None, "undefined.cu")
    assert record.verdict is Verdict.COMPILE_ERROR
    assert record.sentence.startswith("undefined.cu, line 2: ")


@pytest.mark.slow
@in_both
def test_instructions_are_looked_for_in_machine_code(
    real: Toolchain, confined: None, judge: Judge
) -> None:
    if real.nvdisasm is None:
        pytest.skip("no disassembler")
    text = (
        '#include "hotloop/hopper.cuh"\n__global__ void scalar(float* x) {\n'
        "  __shared__ hotloop::mbarrier b;\n"
        "  if (threadIdx.x == 0) hotloop::mbarrier_init(&b, 1), x[0] = 1.0f;\n}\n"
    )
    record = judge(text, instructions=("SYNCS",))
    assert record.verdict is Verdict.PASSED, record.sentence
    assert evidence(record)["scalar", "sm_90"]["instructions"] == ["SYNCS"]
    record = judge(text, instructions=("HGMMA", "SYNCS", "UTMALDG"))
    assert record.verdict is Verdict.WRONG_ANSWER
    assert "on sm_90 has no HGMMA and no UTMALDG: " in record.sentence


@pytest.mark.slow
@in_both
@pytest.mark.parametrize(
    "attempt",
    [
        '#include "{secret}"\n' + KERNEL,
        '#define FILE "{secret}"\n#include FILE\n' + KERNEL,
        '#ifdef __CUDA_ARCH__\n#include "{secret}"\n#endif\n' + KERNEL,
        '#ifndef __CUDA_ARCH__\n#include "{secret}"\n#endif\n' + KERNEL,
        '#line 1 "copies.cu"\n#include "{secret}"\n' + KERNEL,
        '#include "{secret}"\n#if\n' + KERNEL,
        '#pragma GCC system_header\n#include "{secret}"\n#error stop\n' + KERNEL,
        KERNEL + 'asm(".incbin \\"{secret}\\"");\n__device__ int x = missing;\n',
        '__global__ void scalar(float* x) {{ asm(".include \\"{secret}\\""); }}\n',
        'const char* words =\n#include "{secret}"\n;\n' + KERNEL,
    ],
)
def test_no_include_tells_what_a_file_holds(
    real: Toolchain, confined: None, judge: Judge, tmp_path: Path, attempt: str
) -> None:
    secret = tmp_path / "solution.cu"
    secret.write_text(f"{SECRET} it's\n")
    record = judge(attempt.replace("{{", "{").replace("}}", "}").replace("{secret}", str(secret)))
    assert SECRET not in str(record)
    assert "solution-that" not in str(record)
    assert record.verdict in (Verdict.COMPILE_ERROR, Verdict.PASSED), record


@pytest.mark.slow
@in_the_sandbox
def test_what_lies_around_the_judge_is_not_there(
    real: Toolchain, confined: None, judge: Judge, clone: Path
) -> None:
    for file in (clone / "pyproject.toml", SOURCES / "copies.cu"):
        record = judge(f'#include "{file}"\n' + KERNEL)
        assert record.verdict is Verdict.COMPILE_ERROR
        assert "No such file or directory" in record.sentence


@pytest.mark.slow
@in_the_sandbox
@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("template <int N> struct D { D<N+1>* p; static const int v = D<N+1>::v; };\n"
         "int x = D<0>::v;\n" + KERNEL, {Verdict.COMPILE_ERROR}),
        ("template <int A, int B> struct F { static constexpr long v = "
         "F<A-1,2*B>::v + F<A-1,2*B+1>::v; };\n"
         "template <int B> struct F<0,B> { static constexpr long v = B; };\n"
         "long x = F<26,0>::v;\n" + KERNEL, {Verdict.TIMEOUT, Verdict.MEMORY_LIMIT}),
        ('#include "/dev/zero"\n' + KERNEL,
         {Verdict.COMPILE_ERROR, Verdict.TIMEOUT, Verdict.MEMORY_LIMIT}),
        ("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\n"
         "B(B(int y;))\n" + KERNEL,
         {Verdict.TIMEOUT, Verdict.MEMORY_LIMIT, Verdict.COMPILE_ERROR}),
    ],
)  # fmt: skip
def test_a_bomb_is_bounded(
    real: Toolchain, confined: None, judge: Judge, text: str, verdicts: set[Verdict]
) -> None:
    launcher = Launcher("bubblewrap", memory_bytes=GIB)
    record = judge(text, timeout_s=8, launcher=launcher)
    assert record.verdict in verdicts, record
    assert record.earned == 0.0
