"""The table of a check in a terminal, and what does not fit into one."""

from rich.console import Console

from hotloop.cli import records_table
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import load_module

ABOUT = Circumstances("", "", "", "", "", {}, "", "none", "", 1.0)
CODE = "   12 |     int row = blockIdx.x * blockDim.x + thraedIdx.x; float value = x[0];"
CARET = "      |                                         ^~~~~~~~~"
SENTENCE = f"It does not compile: kernels.cu:12:41: error: unknown\n{CODE}\n{CARET}"


def printed(*checks: CheckRecord, verdict: Verdict) -> str:
    """Return what a terminal of 80 columns without colors shows."""
    record = Record("first_kernels", "axpy", verdict, checks[0].sentence, checks, ABOUT)
    module, records = load_module("first_kernels"), {"axpy": record}
    tasks = [module.task("axpy")]
    rows = [
        {"sentence": record.sentence, "points": 0.0, "possible": 13.0, "pending": 0.0},
    ]
    console = Console(width=80, force_terminal=False)
    with console.capture() as shown:
        console.print(records_table.table(tasks, rows, records))
        for text in records_table.printed_lines(records):
            console.print(text, soft_wrap=bool(text.no_wrap))
    return shown.get()


def test_a_compilers_caret_stays_below_its_column() -> None:
    shown = printed(
        CheckRecord("correct", Verdict.COMPILE_ERROR, SENTENCE),
        CheckRecord("gpu_correct", Verdict.NOT_MEASURED, "No GPU here."),
        verdict=Verdict.COMPILE_ERROR,
    ).splitlines()
    place = shown.index(CODE)
    assert shown[place + 1] == CARET
    assert shown[place - 1].startswith("axpy: It does not compile")
    assert sum("int row" in line for line in shown) == 1


def test_what_is_one_line_is_told_in_the_table_only() -> None:
    shown = printed(CheckRecord("correct", Verdict.PASSED, "Right."), verdict=Verdict.PASSED)
    assert "axpy: " not in shown
    assert "below" not in shown
