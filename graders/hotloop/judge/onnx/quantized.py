"""A network that the candidate quantizes to 8-bit integers, from our file and frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case
from hotloop.judge.compare import Floats
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Material:
    """What a candidate is given.

    network: the float32 ONNX file. frames: an .npz for calibration.
    """

    network: GivenFile
    frames: GivenFile


@dataclass(frozen=True)
class Quantization:
    """maker: makes the network (`source`) and calibration frames (`calibration`).

    network: the name of its file. count: of the frames.
    """

    maker: Program
    network: str
    count: int

    def material(self, session: Session) -> Material:
        """Return what the candidate is given, the same for all checks."""
        return session.once("material", lambda: self._made(session))

    def file(self) -> OrderedFile[Material]:
        """Return the file that the candidate makes of it, once for all checks."""
        return OrderedFile(
            "quantized.onnx",
            self.material,
            lambda given: (given.network, given.frames),
            "Your network",
        )

    def generated(self, session: Session, function: str, seed: int, out: TensorSpec) -> Floats:
        """Return a tensor that the maker draws from a seed."""
        case = Case(function, (seed,), out)
        return self.maker.trusted(session).answer(function, case)

    def _made(self, session: Session) -> Material:
        maker = self.maker.trusted(session)
        frames = maker.ask("calibration", seed(session.rng()), self.count)
        return Material(
            GivenFile(self.network, maker.take(maker.ask("source"))),
            GivenFile("calibration.npz", maker.take(frames)),
        )


def distance_mismatch(got: Floats, want: Floats, most: float, what: str) -> str | None:
    """Return a message fragment if quantized outputs are too far from float32's, else None.

    most: allowed distance (L2 norm), relative to the float32 outputs. what: the outputs' name.
    """
    if not np.isfinite(got).all():
        return f"the {what} are not finite"
    distance = float(np.linalg.norm(got - want) / np.linalg.norm(want))
    if distance <= most:
        return None
    return f"the {what} are {distance:.2f} of their size away from those of float32"
