"""Proves for the judge: `python -m hotloop.engines.prover.worker --fd N`.

A process in its own sandbox that reads the learner's text and runs nothing of it. z3's time limit
is no promise, so the judge ends the process when its own time is up.
"""

from hotloop.core.wire import Message
from hotloop.engines.prover.contract import Contract
from hotloop.engines.prover.cuda.prove import CudaLaunch, prove_kernel
from hotloop.engines.prover.prove import prove
from hotloop.worker.requests import Requests


class ProverWorker(Requests):
    """A worker that handles the judge's messages `prove` and `prove_cuda`."""

    def on_prove(self, message: Message, _fds: list[int]) -> Message:
        """Return the report on `entry` of `source` under `contract`: see `prove`."""
        report = prove(
            message["source"],
            message["entry"],
            Contract.from_message(message["contract"]),
            message["recorded"],
            total_s=message["seconds"],
        )
        return {"report": report.to_message()}

    def on_prove_cuda(self, message: Message, _fds: list[int]) -> Message:
        """Return the report on `kernel` of `listing` under `contract`: see `prove_kernel`."""
        report = prove_kernel(
            message["listing"],
            message["kernel"],
            Contract.from_message(message["contract"]),
            CudaLaunch(**message["launch"]),
            total_s=message["seconds"],
        )
        return {"report": report.to_message()}


def main() -> None:
    """Serve the judge until it closes the connection."""
    from hotloop.worker.serve import serve_as_process  # with what only processes have

    serve_as_process(ProverWorker())


if __name__ == "__main__":
    main()
