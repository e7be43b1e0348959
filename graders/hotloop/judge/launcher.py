"""Starts the judge's workers: for a submission's file, its notebook, or code of the check."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.frozen_candidates import Bystanders
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.worker_connection import WorkerConnection

if TYPE_CHECKING:
    from hotloop.judge.cuda_kernel import Simulator
    from hotloop.sandbox.confinement import Confinement
    from hotloop.sandbox.process import Confined

GIB = 1 << 30
START_TIMEOUT_S = 60.0

SIMULATOR = "/opt/simulator"
"""Path inside the sandbox of the prebuilt simulator files that kernels are linked with."""


@dataclass(frozen=True)
class Launcher:
    """How workers are confined, and their limits on threads, memory and time.

    isolation: "bubblewrap", or "none" for formative checks in the learner's own JupyterLab.
    """

    isolation: str
    threads: int = 1
    memory_bytes: int = 4 * GIB
    wall_s: float = 900.0
    fork: Callable[[Confinement], Confined] | None = None
    """Starts a worker faster than exec does; None if a worker is timed."""

    bystanders: Bystanders = field(default_factory=Bystanders)
    """The processes of the judging, which wait while another one starts."""

    def start(
        self,
        *,
        program: tuple[str, ...] = ("-m", "hotloop.worker"),
        arguments: tuple[str, ...] = (),
        files: Path | None,
        trusted: bool,
        environment: Mapping[str, str] | None = None,
        devices: tuple[str, ...] = (),
        read_only: Mapping[str, Path] | None = None,
        anew: bool = False,
        under: Sequence[str] = (),
        processes: int = 64,
    ) -> WorkerConnection:
        """Start a worker and wait until it has said hello.

        Raises JudgeFault if it does not start, Ruling(OUTPUT_LIMIT) if the sandbox refuses the
        files.

        read_only: more folders that it can read, by path inside the sandbox.
        anew: start it by exec instead of fork.
        under: a profiler's command line that starts it.
        processes: most processes and threads at a time, if it uses no GPU.
        """
        from hotloop.sandbox.confinement import Confinement  # a judge without workers needs none

        with self.bystanders.held():
            ours, theirs = socket.socketpair()
            with theirs:
                argv = (*under, sys.executable, *program, "--fd", str(theirs.fileno()), *arguments)
                confined = self._launch(
                    Confinement(
                        argv=argv,
                        environment={
                            **worker_environment(self.threads),
                            "HOTLOOP_REPLAY": "1",
                            **(environment or {}),
                        },
                        read_only=read_only or {},
                        writable={},
                        files=files,
                        memory_bytes=self.memory_bytes,
                        # Threads count too: CUDA, XLA and Triton start some for each core.
                        processes=1024 if devices else processes,
                        tmp_bytes=2 * GIB,
                        wall_s=self.wall_s,
                        output_bytes=1 << 20,
                        pass_fds=(theirs.fileno(),),
                        devices=devices,
                    ),
                    anew=anew,
                )
            worker = WorkerConnection(
                ours,
                confined.freezer,
                trusted=trusted,
                confined=confined,
                bystanders=self.bystanders,
            )
            try:
                worker.hello(START_TIMEOUT_S)
            except (Ruling, JudgeFault) as failure:
                # No code of the candidate has run yet, so this is the judge's failure.
                output = confined.output().decode(errors="replace")[-500:]
                worker.close()
                raise JudgeFault(f"a worker did not start: {failure}; it said: {output}") from None
        self.bystanders.add(worker)
        return worker

    def simulator(self, budget: Budget) -> Simulator:
        """Start a simulator for the candidate's CUDA kernels; its failures are the candidate's."""
        environment, read_only = self.simulator_files()
        worker = self.start(
            program=("-m", "hotloop.engines.simulate.worker"),
            files=None,
            trusted=True,
            environment=environment,
            read_only=read_only,
        )
        worker.trusted = False
        worker.judged_within(budget)
        return worker

    def simulator_files(self) -> tuple[dict[str, str], dict[str, Path]]:
        """Return the environment and read-only folders of a worker that builds CUDA kernels."""
        from hotloop.engines.simulate import cache  # of the package group `cuda`

        if self.isolation == "none":
            return {"HOTLOOP_SIMULATOR_PREBUILT": str(cache.folder())}, {}
        return {"HOTLOOP_SIMULATOR_PREBUILT": SIMULATOR}, {SIMULATOR: cache.folder()}

    def _launch(self, confinement: Confinement, *, anew: bool) -> Confined:
        from hotloop.sandbox.confinement import SubmissionRefused
        from hotloop.sandbox.launch import launch
        from hotloop.sandbox.unconfined import launch_plain

        try:
            if self.fork is not None and not anew:
                return self.fork(confinement)
            return launch_plain(confinement) if self.isolation == "none" else launch(confinement)
        except SubmissionRefused as refusal:
            raise Ruling(Verdict.OUTPUT_LIMIT, str(refusal)) from None


def worker_environment(threads: int) -> dict[str, str]:
    """Return the environment variables of every worker, and of the notebook's kernel."""
    count = str(threads)
    environment = {
        "OMP_NUM_THREADS": count,
        "MKL_NUM_THREADS": count,
        "OPENBLAS_NUM_THREADS": count,
        # A pool of compiler processes would share the one core that is being measured.
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        # Testing the instruction set and precompiling headers take longer than compiling one
        # kernel.
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        "TORCHINDUCTOR_CPP_CACHE_PRECOMPILE_HEADERS": "0",
        # Keep large blocks in the process: otherwise it depends on the allocator's history whether
        # the temporaries of a baseline cause page faults, and the ratio changes with it.
        "MALLOC_MMAP_THRESHOLD_": str(4 * GIB),
        "MALLOC_TRIM_THRESHOLD_": str(4 * GIB),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if threads == 1:
        return environment
    # One thread per core: two that spin on one core wait for each other's time slice. In the
    # sandbox, where a process cannot set its affinity, the judge does it (`scheduling.spread`).
    places = ",".join(f"{{{core}}}" for core in worker_cores(threads))
    return {**environment, "OMP_PLACES": places, "OMP_PROC_BIND": "true"}


def worker_cores(threads: int) -> list[int]:
    """Return the cores that workers run on: the last ones, so that the judge keeps the first."""
    return sorted(os.sched_getaffinity(0))[-threads:]


def default_threads() -> int:
    """Return the number of worker threads, 1 to 8: all cores but one, which the judge keeps."""
    return max(1, min(8, len(os.sched_getaffinity(0)) - 1))
