"""Training steps as exported programs: without the host, with named scopes, with donated state."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.checks.correct import InputTensor
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.xla_vs_eager import exported
from hotloop.tasks.modules.xla_vs_eager.exported import RunCheck, tensor

STEP = RunCheck("step", "step", first=1, trees=2)
GUARDED = RunCheck("guarded", "guarded", first=2, trees=2)
CONVOLUTIONS = {"conv1": 2, "conv2": 3}
"""Convolutions of a step: forward, kernel gradient, and input gradient except for the images."""

PRODUCTS = 3
"""Matrix products of the head: forward, gradients of weight and input."""


# --- without the host -----------------------------------------------------------------------------


def on_device(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require a program that never calls the host and takes the learning rate as an argument."""
    batch = int(rng.integers(5, 20))

    def mismatch(data: bytes) -> str | None:
        facts = exported.facts(data, session)
        return exported.foreign_call(facts) or exported.arguments_mismatch(
            facts, 2, (*_batch(batch), "float32[]")
        )

    yield Assignment(f"A step for {batch} samples", (batch,), exported.FILE, mismatch)


def guarded(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require the numbers of the slow step for each branch that it took on the host."""
    batch = int(rng.integers(5, 20))

    def mismatch(data: bytes) -> str | None:
        for label, inputs in _ways(rng, batch):
            difference = GUARDED.mismatch(data, inputs, session)
            if difference is not None:
                return f"{label}, {difference}"
        return None

    yield Assignment(f"A step for {batch} samples", (batch,), exported.FILE, mismatch)


def _ways(rng: Rng, batch: int) -> Iterator[tuple[str, tuple[InputTensor, ...]]]:
    rate = np.array([0.05 + 0.2 * rng.random()])
    for label, factor, rubbish in (
        ("for small gradients", 0.02, None),
        ("for large gradients", 1.0, None),
        ("for a loss above the patience", 40.0, None),
        ("for a batch with a NaN in it", 1.0, np.nan),
    ):
        state = np.concatenate([factor * exported.parameters(rng), 0.1 * exported.parameters(rng)])
        images = 3 * exported.random_images(rng, batch) + 1
        images[int(rng.integers(batch))] = 1.0  # a constant image, whose deviation is 0
        if rubbish is not None:
            images[int(rng.integers(batch)), 3, 3, 0] = rubbish
        inputs = (state, images, exported.labels(rng, batch), rate)
        yield label, tuple(map(tensor, inputs))


# --- with names -----------------------------------------------------------------------------------


def annotated(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require every layer, the loss and the update to be in scopes with a random prefix."""
    prefix, batch = f"run{int(rng.integers(100, 1000))}_", int(rng.integers(5, 20))
    number = constant("NUMBER", 0, range(2, 1000))
    scope = f"{prefix}{number}_" if number else prefix

    def mismatch(data: bytes) -> str | None:
        facts = exported.facts(data, session)
        return (
            exported.foreign_call(facts)
            or exported.arguments_mismatch(facts, 2, _batch(batch))
            or scopes_mismatch(facts, scope)
            or _step_mismatch(data, batch, rng, session)
        )

    yield Assignment(f"A step for {batch} samples", (batch, prefix), exported.FILE, mismatch)


def scopes_mismatch(facts: Message, prefix: str) -> str | None:
    """Return a message about operations outside of their layers' scopes, or None."""
    scopes = [(str(kind), str(names)) for kind, names in as_list(facts["scopes"])]
    convolutions = [names for kind, names in scopes if kind == "convolution"]
    products = [names for kind, names in scopes if kind == "dot_general"]
    for layer, fewest in CONVOLUTIONS.items():
        count = sum(f"{prefix}{layer}" in names for names in convolutions)
        if count < fewest:
            return (
                f"{count} convolutions are in a scope {prefix}{layer}, and {fewest} are "
                "computed there, forward and backward"
            )
    for names in convolutions:
        layers = [layer for layer in CONVOLUTIONS if f"{prefix}{layer}" in names]
        if len(layers) != 1:
            return f"a convolution is in {len(layers)} of the scopes, as {names!r} says"
    inside = sum(f"{prefix}head" in names for names in products)
    if inside < PRODUCTS:
        return f"{inside} matrix products are in {prefix}head, and {PRODUCTS} are computed there"
    *state, loss = [str(names) for names in as_list(facts["returned"])]
    outside = sum(f"{prefix}update" not in names for names in state)
    if outside:
        return f"{outside} of the {len(state)} new tensors are not computed in {prefix}update"
    if f"{prefix}loss" not in loss:
        return f"the loss is not computed in {prefix}loss"
    return None


# --- with donated state ---------------------------------------------------------------------------


def donated(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Require XLA to reuse each tensor of the state, for a network of random width."""
    width, batch = int(rng.integers(3, 8)), int(rng.integers(5, 20))
    names = sorted(exported.sizes(width))
    state = [4 * int(np.prod(exported.sizes(width)[name])) for name in names] * 2

    def mismatch(data: bytes) -> str | None:
        facts = exported.facts(data, session)
        return exported.foreign_call(facts) or _aliases_mismatch(data, facts, state, session)

    label = f"A step of width {width} for {batch} samples"
    yield Assignment(label, (batch, width), exported.FILE, mismatch)
    # The same for the width for which the reference can compute the numbers.
    yield Assignment(
        f"A step of width {exported.WIDTH} for {batch} samples",
        (batch, exported.WIDTH),
        exported.FILE,
        lambda data: _step_mismatch(data, batch, rng, session),
    )


def _aliases_mismatch(
    data: bytes, facts: Message, state: list[int], session: Session
) -> str | None:
    aliased = as_message(facts["aliased"]) or {}
    tensors = as_list(facts["arguments"])
    if len(tensors) != len(state) + 2:
        return f"the program takes {len(tensors)} tensors and should take {len(state) + 2}"
    lost = [str(tensors[n]) for n in range(len(state)) if str(n) not in aliased]
    if lost:
        return f"{len(lost)} of the {len(state)} tensors of the state are held twice, as {lost[0]}"
    if len(aliased) > len(state):
        return "the batch is given away, too, and the loader may still need it"
    runner = exported.RUNS.given(session, "plans")
    reused = runner.ask("reused_bytes", GivenFile(exported.FILE, data), 2)
    if reused != sum(state):
        return f"XLA reuses {reused} bytes, and the state has {sum(state)}"
    return None


def _step_mismatch(data: bytes, batch: int, rng: Rng, session: Session) -> str | None:
    state = np.concatenate([exported.parameters(rng), 0.1 * exported.parameters(rng)])
    inputs = (state, exported.random_images(rng, batch), exported.labels(rng, batch))
    return STEP.mismatch(data, tuple(map(tensor, inputs)), session)


def _batch(batch: int) -> tuple[str, str]:
    return f"float32[{batch},8,8,1]", f"int32[{batch}]"
