"""`hotloop check --repro`: a failed check as a program, which reveals no secrets."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from typer.testing import CliRunner

from hotloop.cli import app, repro
from hotloop.core.record import Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.learn.pack.manifest import PackFolder
from hotloop.learn.practice import verdicts
from hotloop.tasks import render
from hotloop.tasks.local_judging import lay_out
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.problem import Score
from hotloop.tasks.reference_files import sources

pytestmark = [pytest.mark.sandbox, pytest.mark.timeout(200)]

NOTEBOOK = "fused_softmax", "forgotten_rescale", "online_pass"
TRITON = "first_kernels", "axpy_whole_blocks", "axpy"
CUDA = "first_kernels", "transpose_without_barrier", "transpose"
DATA = "first_kernels", "roofline_sides_swapped", "roofline"
MISSING_MASK = """

@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    elements = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + elements), tl.load(y_ptr + elements)
    tl.store(out_ptr + elements, a * x + y)


def axpy(a, x, y, out):
    _axpy[(triton.cdiv(x.numel(), 1024),)](a, x, y, out, BLOCK=1024)
"""
SEED = "0123456789abcdef" * 2


@pytest.fixture(autouse=True)
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(verdicts.OFF, raising=False)


def laid_out(answer: tuple[str, str, str], folder: Path) -> Path:
    module, name, _ = answer
    (wrong,) = [each for each in render.wrong_answers(module) if each.name == name]
    lay_out(render.submission(module, wrong.path), folder / module)
    return folder / module


def reproduced(answer: tuple[str, str, str], work: Path) -> dict[str, Any]:
    key = f"{answer[0]}.{answer[2]}"
    done = CliRunner().invoke(app, ["check", key, str(work), "--repro", "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def output(program: str) -> str:
    done = subprocess.run(
        [sys.executable, program], check=True, capture_output=True, text=True, timeout=120
    )
    return done.stdout


def logged(key: str, seed: str) -> None:
    module, _, task = key.partition(".")
    circumstances = Circumstances("", "", "", "", "", {}, seed, "none", "", 1.0)
    record = Record(module, task, Verdict.WRONG_ANSWER, "Wrong.", (), circumstances)
    verdicts.note(record, Score(0, 0, 10), "command", own=True)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [NOTEBOOK, TRITON, CUDA])
def test_the_program_prints_what_was_expected_and_got(
    answer: tuple[str, str, str], tmp_path: Path
) -> None:
    work = laid_out(answer, tmp_path)
    said = reproduced(answer, work)
    assert said["input"] == repro.FRESH
    told = output(said["files"][0])
    assert said["sentence"] in told
    assert "got:\n" in told
    if answer is not CUDA:
        assert "expected:\n" in told
        assert " elements differ" in told
        assert not told.startswith("0 of")


@pytest.mark.slow
def test_a_missing_mask_is_told_and_shown(tmp_path: Path) -> None:
    work = laid_out(TRITON, tmp_path)
    kernels = work / "kernels_triton.py"
    kernels.write_text(kernels.read_text(encoding="utf-8") + MISSING_MASK, encoding="utf-8")
    said = reproduced(TRITON, work)
    told = output(said["files"][0])
    assert told.startswith(f"the check said: {said['sentence']}\nout of bounds: the output, of ")
    assert " written past its end\ngot:\n" in told


@pytest.mark.slow
def test_the_checks_sentence_comes_before_code_that_ends_the_process(tmp_path: Path) -> None:
    work = laid_out(TRITON, tmp_path)
    said = reproduced(TRITON, work)
    kernels = work / "kernels_triton.py"
    ending = "import os\ndef axpy(a, x, y, out):\n    os.abort()\n"
    kernels.write_text(kernels.read_text(encoding="utf-8") + ending, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, said["files"][0]], check=False, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == f"the check said: {said['sentence']}\n"
    assert "Fatal Python error: Aborted" in done.stderr
    assert "kernels_triton.py" in done.stderr


@pytest.mark.slow
def test_plain_data_is_asked_again(tmp_path: Path) -> None:
    said = reproduced(DATA, laid_out(DATA, tmp_path))
    told = output(said["files"][0])
    assert "'bound': " in told
    assert "expected" in told


@pytest.mark.slow
def test_the_learners_own_check_gives_its_input_again_and_nothing_else_does(tmp_path: Path) -> None:
    work = laid_out(NOTEBOOK, tmp_path)
    key = f"{NOTEBOOK[0]}.{NOTEBOOK[2]}"

    def inputs() -> tuple[str, np.ndarray[Any, Any]]:
        said = reproduced(NOTEBOOK, work)
        return said["input"], np.load(said["files"][1])["argument_0"]

    (where, first), (_, other) = inputs(), inputs()
    assert where == repro.FRESH
    assert first.shape != other.shape or not np.array_equal(first, other)
    logged(key, SEED)
    (where, first), (_, again) = inputs(), inputs()
    assert where == repro.SAME
    assert np.array_equal(first, again)


def test_a_take_home_never_gives_an_input_again() -> None:
    logged("fused_softmax.online_pass", SEED)
    assert repro._seed("fused_softmax.online_pass", None) == SEED  # pyright: ignore[reportPrivateUsage]
    pack = cast(PackFolder, object())
    assert repro._seed("fused_softmax.online_pass", pack) == ""  # pyright: ignore[reportPrivateUsage]


def test_what_another_machine_has_judged_leaves_no_seed() -> None:
    circumstances = Circumstances("", "", "", "", "", {}, SEED, "none", "", 1.0)
    record = Record("fused_softmax", "online_pass", Verdict.PASSED, "", (), circumstances)
    verdicts.note(record, Score(10, 0, 10), "command", own=False)
    assert SEED not in verdicts.path().read_text()


@pytest.mark.slow
@pytest.mark.parametrize("answer", [NOTEBOOK, TRITON, DATA])
def test_nothing_that_is_written_holds_a_seed_or_a_solution(
    answer: tuple[str, str, str], tmp_path: Path
) -> None:
    module, _, task = answer
    logged(f"{module}.{task}", SEED)
    said = reproduced(answer, laid_out(answer, tmp_path))
    written = [Path(name).read_bytes() for name in said["files"]]
    for data in written:
        assert SEED.encode() not in data
        assert bytes.fromhex(SEED) not in data
    program = written[0].decode()
    solved = {
        line.strip()
        for source in sources(module).values()
        if source.suffix in {".py", ".cu"}
        for region in regions(parse(source.read_text(encoding="utf-8"), str(source)))
        for line in region.body
        if len(line.strip()) > 20
    }
    assert len(solved) > 20
    assert not [line for line in solved if line in program]
    assert "hotloop.tasks.modules" not in program
    assert "solutions" not in program


@pytest.mark.slow
def test_what_nobody_has_begun_is_said_to_be_so(tmp_path: Path) -> None:
    lay_out(render.untouched("first_kernels"), tmp_path)
    done = CliRunner().invoke(app, ["check", "first_kernels.axpy", str(tmp_path), "--repro"])
    assert done.exit_code == 2
    assert "first_kernels.axpy is not started" in done.output


@pytest.mark.slow
def test_a_check_without_an_input_says_why(tmp_path: Path) -> None:
    work = laid_out(("ssa_passes", "fold_traps_give_zero", "fold"), tmp_path)
    done = CliRunner().invoke(app, ["check", "ssa_passes.fold", str(work), "--repro"])
    assert done.exit_code == 2
    assert "has no input that could be reproduced" in done.output


def test_a_whole_module_is_too_much(tmp_path: Path) -> None:
    lay_out(render.untouched("first_kernels"), tmp_path)
    done = CliRunner().invoke(app, ["check", "first_kernels", str(tmp_path), "--repro"])
    assert done.exit_code == 2
    assert "--repro is about one task with code, such as first_kernels." in done.output


@pytest.mark.parametrize("others", [("--seed", SEED), ("--on", "here"), ("--predict",)])
def test_it_goes_with_no_other_option(others: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, ["check", "ssa_passes.fold", "--repro", *others])
    assert done.exit_code == 2
    assert "go with no other option" in done.output
