"""The graph of a step in PyTorch/XLA: its text, in the forms that the exporter may give it."""

import numpy as np
import pytest

from hotloop.tasks.modules.xla_vs_eager import exported, lazy

SIZES = [tuple(shape) for shape in exported.sizes().values()]


def hlo(batch: int, results: list[tuple[int, ...]], convolutions: int = 6) -> str:
    """Return a module that takes `batch` images and returns float32 tensors of these shapes."""
    layout = "{0}"
    shapes = ", ".join(f"f32[{','.join(map(str, shape))}]{layout}" for shape in results)
    body = [
        f"  %p0.1 = f32[{batch},8,8,1]{{3,2,1,0}} parameter(0)",
        *(f"  %c.{n} = f32[8]{{0}} convolution(f32[8]{{0}} %p0.1)" for n in range(convolutions)),
        f"  ROOT %tuple.9 = ({shapes}) tuple(f32[99999]{{0}} %c.0)",
    ]
    head = "HloModule SyncTensorsGraph.9, entry_computation_layout={()->()}"
    reduction = "%add.1 (x: f32[]) -> f32[] {\n  ROOT %a.1 = f32[] add(f32[] %x, f32[] %x)\n}"
    return "\n\n".join([head, reduction, "ENTRY %S.9 () -> () {\n" + "\n".join(body) + "\n}"])


def refusal(batch: int, text: object) -> str | None:
    (question, _) = lazy.graph_questions(np.random.default_rng(0))
    given = question.arguments[0]
    return question.mismatch(
        text.replace(f"f32[{batch},", f"f32[{given},") if isinstance(text, str) else text
    )


@pytest.mark.parametrize(
    "results",
    [
        [*SIZES, *SIZES],
        [(exported.PARAMETERS,), (exported.PARAMETERS,)],
        [(2 * exported.PARAMETERS,)],
        [(), *SIZES, *SIZES],
    ],
    ids=["by name", "two vectors", "one vector", "with the loss"],
)
def test_parameters_and_momentum_may_come_in_any_tensors(results: list[tuple[int, ...]]) -> None:
    assert refusal(7, hlo(7, results)) is None


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (hlo(7, SIZES), "numbers, and parameters and momentum are"),
        (hlo(7, [*SIZES, *SIZES], convolutions=2), "2 convolutions"),
        (hlo(70, [*SIZES, *SIZES]), "no parameter of it"),
        ("module @step {}", "no HLO module"),
        (None, "not a text"),
    ],
)
def test_less_than_a_step_is_refused(text: object, about: str) -> None:
    assert about in str(refusal(7, text))
