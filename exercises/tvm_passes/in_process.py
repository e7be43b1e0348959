"""MetaSchedule's builder and runner without processes of their own.

MetaSchedule's "local" ones start a process for each candidate, so that one which crashes or hangs
costs nothing but itself; each of them loads TVM again, and all of them need the package
cloudpickle. For a matrix product on the CPU, whose candidates do neither, this is enough, and
takes a tenth of the time.
"""

import tempfile
import time

import tvm
from tvm.ir.utils import derived_object
from tvm.s_tir.meta_schedule.builder import BuilderResult, PyBuilder
from tvm.s_tir.meta_schedule.runner import PyRunner, PyRunnerFuture, RunnerResult

BUILT = {}
REPEATS = 3
SHORTEST_S = 0.02


@derived_object
class Builder(PyBuilder):
    """Compiles a candidate and keeps it by a name; a candidate may also fail."""

    def build(self, build_inputs):
        return [self.one(each) for each in build_inputs]

    def one(self, given):
        try:
            # MetaSchedule removes the folder that a candidate lies in: give it one.
            name = f"{tempfile.mkdtemp()}/candidate"
            BUILT[name] = tvm.compile(given.mod, target=given.target)
            return BuilderResult(name, None)
        except Exception as error:  # noqa: BLE001 - whatever it is, the candidate failed
            return BuilderResult(None, str(error))


@derived_object
class Finished(PyRunnerFuture):
    """A result that is there already."""

    def __init__(self, outcome):
        super().__init__()
        self.outcome = outcome

    def done(self):
        return True

    def result(self):
        return self.outcome


@derived_object
class Runner(PyRunner):
    """Times a candidate on random numbers: the mean of several runs, several times."""

    def run(self, runner_inputs):
        return [Finished(self.one(each)) for each in runner_inputs]

    def one(self, given):
        import numpy as np

        built = BUILT.pop(str(given.artifact_path))["main"]
        tensors = [
            tvm.runtime.tensor(np.random.rand(*map(int, info.shape)).astype(str(info.dtype)))
            for info in given.args_info
        ]
        built(*tensors)
        seconds = []
        for _ in range(REPEATS):
            runs, started = 0, time.perf_counter()
            while time.perf_counter() - started < SHORTEST_S:
                built(*tensors)
                runs += 1
            seconds.append((time.perf_counter() - started) / runs)
        return RunnerResult(seconds, None)
