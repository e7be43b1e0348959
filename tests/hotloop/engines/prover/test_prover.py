"""What the prover says of a kernel: texts in `kernels/`, each with its sizes and what is said.

`sizes` are the arguments of `run`; `gap` behind a tensor: its rows may lie further apart. What is
said may go on behind what is written there.
"""

import re
from pathlib import Path

import pytest

from hotloop.engines.prover.contract import Contract, PlainArgument, Symbol, TensorArgument
from hotloop.engines.prover.report import Claim, Report

pytest.importorskip("z3", reason="the package group `proof`")

from hotloop.engines.prover.prove import prove

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.txt"))
QUICK = {"copy", "copy_without_mask", "masks_added", "pointer_of_two_tensors", "changed_library"}
_ARGUMENT = re.compile(r"(\w+) \[([^\]]*)\]( gap)?|(\w+) = (\S+)")


def contract(text: str) -> Contract:
    symbols: dict[str, Symbol] = {}
    arguments: list[TensorArgument | PlainArgument] = []
    at_least: list[tuple[str, str]] = []
    for name, listed, gap, plain, value in _ARGUMENT.findall(text):
        if plain:
            arguments.append(PlainArgument(plain, text=value.rstrip(",")))
            continue
        sizes = listed.split(", ")
        symbols |= {size: Symbol(size) for size in sizes}
        strides = ["*".join(sizes[axis + 1 :]) or "1" for axis in range(len(sizes))]
        if gap:
            strides[-2] = f"stride_{name}"
            symbols[strides[-2]] = Symbol(strides[-2])
            at_least.append((strides[-2], sizes[-1]))
        arguments.append(TensorArgument(name, sizes, strides))
    return Contract(symbols, arguments, at_least)


def said(report: Report, about: str) -> str:
    """The weakest claim, with its reason or its sizes."""
    order = ["proved", "tested", "counterexample"]
    claims = [claim for claim in report.claims if claim.about == about]
    worst = max(claims, key=lambda claim: order.index(claim.result))
    return f"{worst.result}: {_more(worst)}" if _more(worst) else worst.result


def _more(claim: Claim) -> str:
    if claim.counterexample is None:
        return claim.reason
    return ", ".join(f"{name} = {value}" for name, value in claim.counterexample.values.items())


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.slow)
        for path in KERNELS
    ],
)
def test_what_is_said_of_a_kernel(path: Path) -> None:
    head, _, source = path.read_text(encoding="utf-8").partition("---\n")
    expected = dict(line.split(": ", 1) for line in head.splitlines())
    report = prove(source, "run", contract(expected["sizes"]))
    for about in ("bounds", "races"):
        assert said(report, about).startswith(expected[about]), (about, report)


COPY = (Path(__file__).parent / "kernels" / "copy.txt").read_text().partition("---\n")[2]


def _launched(grid: int, n: int) -> dict[str, object]:
    arguments = {
        "x_ptr": {"tensor": "argument", "index": 0, "offset": 0, "dtype": "fp32"},
        "out_ptr": {"tensor": "argument", "index": 1, "offset": 0, "dtype": "fp32"},
        "n": {"value": n},
        "BLOCK": {"value": 64},
    }
    launch = {"kernel": "kernel", "grid": [grid, 1, 1], "arguments": arguments}
    return {"values": {"n": 100}, "launches": [launch]}


def test_a_launcher_that_does_something_else_than_its_text_is_not_believed() -> None:
    sizes = contract("x [n], out [n]")
    assert said(prove(COPY, "run", sizes, [_launched(2, 100)]), "bounds") == "proved"
    nothing: dict[str, object] = {"values": {"n": 100}, "launches": []}
    for other in (_launched(3, 100), _launched(2, 101), nothing):
        report = prove(COPY, "run", sizes, [other])
        assert said(report, "bounds").startswith("tested: the launcher launched something else")


def test_no_time_is_no_proof() -> None:
    report = prove(COPY, "run", contract("x [n], out [n]"), total_s=0.0)
    assert said(report, "bounds").startswith("tested")
