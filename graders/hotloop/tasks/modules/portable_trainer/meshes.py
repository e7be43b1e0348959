"""Checks of training steps exported for a mesh of XLA devices: their layout and their losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import prod

import numpy as np

from hotloop.core.wire import as_list, as_message
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.portable_trainer.given_files import MESHING

Shape = tuple[int, ...]

FILE = "step.jax"
DEVICES, STEPS = 8, 4
CLOSE = 1e-4
"""Relative tolerance of losses after up to three float32 steps, summed in another order."""

_BLOCK: dict[str, Shape] = {
    "norm.weight": (32,),
    "norm.bias": (32,),
    "qkv.weight": (96, 32),
    "qkv.bias": (96,),
    "out.weight": (32, 32),
    "out.bias": (32,),
    "up.weight": (64, 32),
    "up.bias": (64,),
    "down.weight": (32, 64),
    "down.bias": (32,),
}
SHAPES: dict[str, Shape] = {
    "patch_place": (16, 32),
    "word_place": (8, 32),
    "log_scale": (1,),
    "patch.weight": (32, 48),
    "patch.bias": (32,),
    **{f"see.{name}": shape for name, shape in _BLOCK.items()},
    **{f"write.{name}": shape for name, shape in _BLOCK.items()},
    "word.weight": (16, 32),
    "text.weight": (32, 32),
    "text.bias": (32,),
    "head.weight": (16, 32),
    "head.bias": (16,),
}
"""As in `vlm_jax.py` beside the notebook; a test compares the two."""


def spec_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions for model axes of 1 to 8 devices; some divide few dimensions."""
    for model in rng.permutation(np.arange(1, DEVICES + 1)).tolist():
        yield Question(f"a model axis of {model}", (model,), partial(_specs_mismatch, model))


def _specs_mismatch(model: int, answer: object) -> str | None:
    specs = as_message(answer)
    if specs is None or set(specs) != set(SHAPES):
        return f"the specs are {shown(answer)}, not one for each parameter"
    for name, shape in SHAPES.items():
        spec = as_list(specs[name])
        if len(spec) != len(shape) or any(entry not in (None, "model") for entry in spec):
            return f"the spec of {name}, {list(shape)}, is {shown(specs[name])}"
        split = [length for length, entry in zip(shape, spec, strict=True) if entry == "model"]
        if any(length % model for length in split) or len(split) > 1:
            return f"{name}, {list(shape)}, cannot be split by {shown(spec)}"
        if not split and model > 1 and any(length % model == 0 for length in shape):
            return f"{name}, {list(shape)}, lies whole on each device, and could be split"
    return None


def exported(rng: Rng, session: Session, *, runs: bool) -> Iterator[Assignment]:
    """Yield assignments: meshes of several shapes, with batches that are no powers of two.

    runs: also compare losses.
    """
    # Compiling for eight devices is slow, so losses are compared on one mesh only.
    one = (4, 2) if rng.random() < 0.5 else (2, 4)
    shapes = [one] if runs else [(8, 1), (1, 8), (2, 2)]
    for data, model in shapes:
        batch = data * int(rng.choice([3, 5]))
        seed = int(rng.integers(1 << 30))
        losses = _losses_mismatch(data, model, batch, seed, session)
        yield Assignment(
            f"a mesh of {data} × {model}, {batch} samples",
            (data, model, batch),
            FILE,
            losses if runs else _layout_mismatch(data, model, batch, session),
        )


def _losses_mismatch(
    data: int, model: int, batch: int, seed: int, session: Session
) -> Callable[[bytes], str | None]:
    def mismatch(exported: bytes) -> str | None:
        wrong_layout = _layout_mismatch(data, model, batch, session)(exported)
        if wrong_layout is not None:
            return wrong_layout
        want = as_list(MESHING.trusted(session).ask("losses", seed, batch, STEPS))
        runner = MESHING.given(session, "runs")
        got = runner.ask("computed", GivenFile(FILE, exported), data, model, seed, batch, STEPS)
        for step, (is_, should) in enumerate(zip(as_list(got), want, strict=True)):
            if not abs(float(str(is_)) - float(str(should))) <= CLOSE * abs(float(str(should))):
                return f"the loss of step {step} is {is_} and should be {should}"
        return None

    return mismatch


def _layout_mismatch(
    data: int, model: int, batch: int, session: Session
) -> Callable[[bytes], str | None]:
    def mismatch(exported: bytes) -> str | None:
        reader = MESHING.given(session, "looks at")
        answer = reader.ask("layout", GivenFile(FILE, exported), data, model, batch)
        layout = as_message(answer) or {}
        if layout["devices"] != data * model:
            return f"it is a step for {layout['devices']} devices"
        for way in ("in", "out"):
            for name, part in (as_message(layout[way]) or {}).items():
                shape = [int(str(n)) for n in as_list(part)]
                wrong_part = _part_mismatch(name, shape, data, model, batch)
                if wrong_part is not None:
                    return f"{way}: {wrong_part}"
        return None

    return mismatch


def _part_mismatch(name: str, part: list[int], data: int, model: int, batch: int) -> str | None:
    kind, _, parameter = name.partition(" ")
    if not parameter:
        want = batch // data
        return None if part[0] == want else f"each device has {part[0]} of the {kind}, not {want}"
    shape = SHAPES[parameter]
    split = any(length % model == 0 for length in shape)
    want = prod(shape) // (model if split else 1)
    if prod(part) == want:
        return None
    return f"{kind} {parameter}, {list(shape)}, has {prod(part)} elements a device, not {want}"
