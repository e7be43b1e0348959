"""The programs that read and run ONNX models in workers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.candidate import Candidate
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Plain
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection

TRUSTED = Path(__file__).parent / "trusted"
FILES = {path.name: path for path in sorted(TRUSTED.glob("*.py"))}

Facts = dict[str, Any]


def onnx_program(main: str, files: Mapping[str, Path] | None = None) -> Program:
    """Return a program that can import ours. files: a module's own, by name; main: which one."""
    return Program({**FILES, **(files or {})}, main)


READER = onnx_program("onnx_facts.py")
RUNNER = onnx_program("ort_session.py")


def facts_of(file: GivenFile, session: Session) -> Facts:
    """Return what `onnx_facts.facts` reads from a file. Raises Ruling if it does not answer."""
    facts = as_message(READER.given(session, "reads").ask("facts", file))
    if facts is None:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return facts


def products_of(facts: Facts) -> list[tuple[str, str, str]]:
    """Return (operator, shape of weights, their type) of each product that the output depends on.

    Raises Ruling if the reader's answer has another form.
    """
    products = [as_list(product) for product in as_list(facts.get("products"))]
    if any(len(product) != 3 for product in products):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return [(str(name), str(shape), str(kind)) for name, shape, kind in products]


def entrant(
    session: Session, file: GivenFile, *options: Plain, runner: Program = RUNNER
) -> tuple[WorkerConnection, Candidate]:
    """Load the candidate's file in a process of ours, to time; the candidate's worker is closed.

    options: what the runner's `load` takes after the file.
    """
    session.worker().close()
    process = runner.another(session, given=True)
    process.ask("load", file, *options)
    process.resolve("run")
    return process.worker, process.as_candidate("run")
