"""The engine needs no signals: a library that is imported later may take their handlers away."""

import subprocess
import sys

import pytest
from tests.hotloop.engines.simulate.test_kernels import BROKEN, expected

TRAPS = {"assert", "crash", "division_by_zero", "hang", "out_of_bounds", "stack_overflow", "trap"}

WITHOUT_HANDLERS = """
import signal, sys
from pathlib import Path

from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.engine import Store

Store().close()  # the engine's start is when it would take the signals
for number in (signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV, signal.SIGTRAP):
    signal.signal(number, signal.SIG_DFL)
for program in sys.argv[1:]:
    kinds = {finding.kind for finding in check([Path(program)]).report.findings}
    print(Path(program).stem, *sorted(kinds))
"""


@pytest.mark.slow
def test_each_kind_of_trap_is_reported_without_signal_handlers() -> None:
    kinds = {program: {kind for kind, _ in expected(program)[0]} for program in BROKEN}
    programs = [program for program in BROKEN if kinds[program] & TRAPS]
    command = [sys.executable, "-c", WITHOUT_HANDLERS, *map(str, programs)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    wanted = [" ".join((program.stem, *sorted(kinds[program]))) for program in programs]
    assert (done.stdout.splitlines(), done.returncode) == (wanted, 0), done.stderr
