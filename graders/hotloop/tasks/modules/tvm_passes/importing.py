"""Networks of random width, depth and weights that the candidate imports and lowers.

Expected outputs come from PyTorch in float64, in a process that has none of the candidate's files.
The candidate's module is inspected in one process and run in another; outputs are compared here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion, Assertions
from hotloop.judge.checks.correct import Argument, Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, FP64
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.tvm_passes.given_files import EXERCISE, ours
from hotloop.tasks.modules.tvm_passes.readings import mismatch_with, reported

SIDE, CHANNELS, CLASSES = 16, 3, 5
FILE = "module.json"
FACTS = ("operators", "inside", "asked", "shared")

TOLERANCE = Tolerance(relative=2e-4, absolute=2e-4)
"""Logits are of order 1. Up to 11 layers in float32 differ from float64 by some 1e-6; a batch
normalization that uses batch statistics, or a lost parameter, by more than 1e-2.
"""


_VETTED = ours("accesses.py", "bare_tvm.py", "vetting.py", "relax_language.py")
EAGER = Program({**ours("eager.py"), "network.py": EXERCISE / "network.py"}, "eager.py")
READING = Program({**_VETTED, **ours("relax_reading.py")}, "relax_reading.py")
RUNNING = Program(
    {**_VETTED, **ours("relax_running.py")},
    "relax_running.py",
    environment=(("TVM_NUM_THREADS", "1"),),
)


@dataclass(frozen=True)
class Network:
    """A hidden network. seed, width, blocks: arguments of `network.load`.

    parameters: "inside" if they are constants of the module, "inputs" if they are inputs of "main".
    """

    seed: int
    width: int
    blocks: int
    parameters: str

    @property
    def arguments(self) -> tuple[int, int, int, str]:
        """The arguments of `import_network` before the path."""
        return (self.seed, self.width, self.blocks, self.parameters)

    @property
    def label(self) -> str:
        """How messages to the learner name the network."""
        blocks = "1 block" if self.blocks == 1 else f"{self.blocks} blocks"
        return f"width {self.width}, {blocks}, parameters {self.parameters}"


# --- checks ---------------------------------------------------------------------------------------


def holds(
    stage: str, mismatch: Callable[[Network, bytes, Session], str | None], *after: str
) -> Assertions:
    """Return a check that `mismatch` finds nothing in the candidate's modules for both networks.

    stage: which modules, "imported" or "lowered".
    """

    def looks(session: Session) -> Iterator[Assertion]:
        for network in _networks(session):

            def fault(network: Network = network) -> str | None:
                return mismatch(network, _module(stage, network, session), session)

            yield Assertion(network.label, fault)

    return Assertions(looks, "Right for {count} hidden networks.", after=after)


def fact_questions(_rng: np.random.Generator, session: Session) -> Iterator[Question]:
    """Yield questions about the candidate's own imported and lowered modules; READING answers them.

    Raises Ruling if a module cannot be read or is not sound Relax.
    """
    for network in _networks(session):
        for stage in ("imported", "lowered"):
            label = f"{stage}, {network.label}"
            module = _module(stage, network, session)
            truth = _described(module, session)
            with reading():
                problem = _not_relax(truth)
            if problem:
                raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {problem}.")
            yield Question(label, (GivenFile(FILE, module),), mismatch_with(truth, FACTS))


# --- what is wrong with a module ------------------------------------------------------------------


def unsound(network: Network, module: bytes, session: Session) -> str | None:
    """Return why the imported module is wrong, or None.

    It is not well-formed Relax; or its signature, parameters or `revision` attribute are wrong; or
    it is lowered already.
    """
    described = _described(module, session)
    return (
        _not_relax(described)
        or _wrong_signature(described)
        or _wrong_parameters(network, described, session)
        or _already_lowered(described)
        or _other_revision(described)
    )


def _wrong_parameters(network: Network, described: dict[str, Any], session: Session) -> str | None:
    if "params" in described["attributes"]:
        return (
            "the parameters' values are still in the file, as the attribute 'params' of 'main': "
            "take them off"
        )
    named, running, _ = _parameters(network, session)
    shapes = [shape for _, shape in named]
    further = [shape[1:] for shape in described["inputs"][1:]]
    inside, want = described["inside"], sum(int(np.prod(shape)) for shape in shapes) + running
    if network.parameters == "inside" and further:
        return f"'main' has {len(further)} inputs besides the images and should have none"
    if network.parameters == "inside" and inside < want:
        return f"'main' holds {inside} constant numbers of the network's {want}: some are missing"
    if network.parameters == "inputs" and further != shapes:
        return (
            f"behind the images 'main' takes tensors of shapes {shown(further)}; the network's "
            f"parameters, in order, have {shown(shapes)}"
        )
    return None


def _not_relax(described: dict[str, Any]) -> str | None:
    if "refused" in described:
        return f"the module is refused: {described['refused']}"
    if described["functions"] != ["main"]:
        return f"its Relax functions are {shown(described['functions'])} and should be ['main']"
    if described["ill_formed"]:
        return f"Relax finds the module ill-formed: {described['ill_formed']}"
    return None


def _wrong_signature(described: dict[str, Any]) -> str | None:
    first: list[Any] = described["inputs"][0] if described["inputs"] else []
    batch: Any = first[1] if len(first) > 1 else None
    if isinstance(batch, int):
        return f"the batch is baked in: 'main' takes {_tensor(first)}"
    if first != ["float32", batch, CHANNELS, SIDE, SIDE]:
        wanted = _tensor(["float32", "batch", CHANNELS, SIDE, SIDE])
        return f"'main' takes {_tensor(first)} and should take {wanted}"
    if described["output"] != ["float32", batch, CLASSES]:
        wanted = _tensor(["float32", batch, CLASSES])
        return f"'main' gives {_tensor(described['output'])} and should give {wanted}"
    return None


def _already_lowered(described: dict[str, Any]) -> str | None:
    if "relax.call_tir" in described["operators"]:
        return "it holds call_tir already: import_network leaves the operators as they are"
    return None


def _other_revision(described: dict[str, Any]) -> str | None:
    revision = constant("IMPORTED", 0, range(2, 1000))
    got, want = described["revision"], str(revision) if revision else None
    if got == want:
        return None
    if want is None:
        return "the module is refused: the function attribute 'revision' is not allowed here"
    if got is None:
        return "'main' has no attribute 'revision'"
    return f"the attribute 'revision' of 'main' is {shown(got)} and should be {want}"


def not_lowered(network: Network, module: bytes, session: Session) -> str | None:
    """Return which Relax operators are left or which output is wrong, or None."""
    described = _described(module, session)
    if problem := _not_relax(described) or _wrong_signature(described):
        return problem
    left = sorted(set(described["operators"]) - {"relax.call_tir"})
    if left:
        return f"these operators are left: {', '.join(left)}"
    if not described["operators"]:
        return "it calls nothing at all"
    return wrong(network, module, session)


def wrong(network: Network, module: bytes, session: Session) -> str | None:
    """Run the module on two batch sizes; return the first difference from PyTorch, or None."""
    runner = RUNNING.given(session, "runs")
    files = [GivenFile(FILE, module)]
    if network.parameters == "inputs":
        files.append(GivenFile("parameters.npz", _parameters(network, session)[2]))
    runner.ask("load", *files)
    rng = session.rng()
    for count in (1, int(rng.integers(2, 9))):
        case = _case(rng.standard_normal((count, CHANNELS, SIDE, SIDE)))
        got = runner.answer("run", case, timeout_s=30.0, framework="numpy")
        difference = compare(got, _truth(network, case, session), TOLERANCE)
        if difference is not None:
            return f"on a batch of {count}, {difference.sentence()}"
    return None


# --- ours -----------------------------------------------------------------------------------------


def _networks(session: Session) -> list[Network]:
    """Return two networks, the same for all checks: one has parameters inside, one as inputs."""
    return session.once("networks", lambda: _random_networks(session.rng()))


def _random_networks(rng: np.random.Generator) -> list[Network]:
    widths = rng.choice([4, 6, 8, 10], 2, replace=False)
    seeds = rng.integers(1, 1 << 30, 2)
    blocks = rng.permutation([1, 2])
    return [
        Network(int(s), int(w), int(b), parameters)
        for s, w, b, parameters in zip(seeds, widths, blocks, ("inside", "inputs"), strict=True)
    ]


def _parameters(
    network: Network, session: Session
) -> tuple[list[tuple[str, list[int]]], int, bytes]:
    """Return the names and shapes, the number of running statistics, and a .npz file of the values.

    Raises JudgeFault if eager.py does not report them.
    """
    process = EAGER.trusted(session)
    answer = reported(process.ask("parameters", *network.arguments[:3]))
    named = [(str(name), list(shape)) for name, shape in answer["named"]]
    return named, int(answer["running"]), process.take(answer["path"])


def _truth(network: Network, case: Case, session: Session) -> Floats:
    arguments: tuple[Argument, ...] = (*case.arguments, *network.arguments[:3])
    question = Case(case.label, arguments, TensorSpec(case.out.shape, FP64))
    return EAGER.trusted(session).answer("answer", question)


def _case(images: Floats) -> Case:
    count = len(images)
    return Case(
        f"a batch of {count}", (InputTensor(images, FP32),), TensorSpec((count, CLASSES), FP32)
    )


def _described(module: bytes, session: Session) -> dict[str, Any]:
    described = READING.given(session, "reads").ask("described", GivenFile(FILE, module))
    if not isinstance(described, dict):
        raise Ruling(Verdict.WRONG_ANSWER, "The module could not be read.")
    return cast(dict[str, Any], described)


def _module(stage: str, network: Network, session: Session) -> bytes:
    """Return the module that the candidate writes for a network; written once for all checks."""

    def write() -> bytes:
        if stage == "imported":
            assignment = Assignment(network.label, network.arguments, FILE, lambda _data: None)
            return file_written(assignment, session.of("import_network"))
        source = GivenFile(FILE, _module("imported", network, session))
        assignment = Assignment(network.label, (source,), "lowered.json", lambda _data: None)
        return file_written(assignment, session.of("lower"))

    return session.once(f"{stage} {network}", write)


def _tensor(parts: list[Any]) -> str:
    """Format dtype and extents: `float32[s77, 5]`."""
    if len(parts) <= 1:
        return str(parts[0]) if parts else "nothing"
    return f"{parts[0]}[{', '.join(map(str, parts[1:]))}]"
