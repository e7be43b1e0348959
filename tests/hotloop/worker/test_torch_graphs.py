"""Graphs of TorchDynamo, recorded and repeated with other weights and on other inputs.

The first functions compile as a learner may, and each is counted; the others do not, and each is
found out where it is repeated.
"""

import importlib
from collections.abc import Callable
from typing import Any

import pytest

from hotloop.worker.torch_graph_record import GraphRecorder
from hotloop.worker.torch_graph_replay import GraphReplay
from hotloop.worker.torch_replay import unpacked

torch: Any = importlib.import_module("torch")  # torch publishes few types
functional = torch.nn.functional
Compile = Callable[[Any, Any], Callable[..., Any]]

SIZES = (5, 3, 8, 4)


class Model(torch.nn.Module):
    """A loss of the whole batch, and a mean over its samples."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.up, self.down = torch.nn.Linear(6, 8), torch.nn.Linear(8, 4)

    def forward(self, x: Any, words: Any) -> Any:
        """Return the loss of x [N, 6] and words [N]."""
        return self.whole(*self.parts(x, words))

    def parts(self, x: Any, words: Any) -> tuple[Any, Any]:
        """Return a unit vector of each sample, and the mean loss."""
        seen = self.down(functional.gelu(self.up(x)))
        return functional.normalize(seen, dim=-1), functional.cross_entropy(seen, words)

    def whole(self, seen: Any, loss: Any) -> Any:
        """Return the loss by which the samples tell each other apart, and `loss`."""
        return functional.cross_entropy(seen @ seen.T, torch.arange(len(seen))) + loss


def _made(seed: int) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Model()


def _batch(seed: int, size: int) -> tuple[Any, Any]:
    draws = torch.Generator().manual_seed(100 * seed + size)
    words = torch.randint(4, (size,), generator=draws)
    return torch.randn(size, 6, generator=draws), words


def _repeated(compiled: Compile) -> GraphReplay:
    """Record with weights and inputs of seed 1, repeat with those of seed 2, and compare."""
    torch._dynamo.reset()
    model, right = _made(1), _made(2)
    recorder = GraphRecorder(model.parameters())
    with torch.no_grad():
        with recorder:
            loss = compiled(model, recorder.backend())
        replay = GraphReplay([each.detach() for each in _made(2).parameters()])
        replay.all(unpacked(recorder.taken()))
        for size in SIZES:
            batch, hidden = _batch(1, size), _batch(2, size)
            recorder.steps += [["input", recorder.number(each)] for each in batch]
            with recorder:
                value = loss(*batch)
            recorder.steps.append(["out", recorder.encoded(value)])
            got = replay.answer(list(hidden), unpacked(recorder.taken()))
            torch.testing.assert_close(got, right(*hidden), rtol=1e-5, atol=1e-5)
    return replay


def _dynamic(model: Any, compiler: Any) -> Any:
    return torch.compile(model, backend=compiler, fullgraph=True, dynamic=True)


def _automatic(model: Any, compiler: Any) -> Any:
    return torch.compile(model.forward, backend=compiler)


def _in_place(model: Any, compiler: Any) -> Any:
    model.compile(backend=compiler, dynamic=True)
    return model


def _marked(model: Any, compiler: Any) -> Any:
    def called(*batch: Any) -> Any:
        return model(*batch)

    whole = torch.compile(called, backend=compiler)

    def loss(*batch: Any) -> Any:
        for each in batch:
            torch._dynamo.mark_dynamic(each, 0)
        return whole(*batch)

    return loss


def _in_new_memory(model: Any, compiler: Any) -> Any:
    whole = torch.compile(model, backend=compiler, dynamic=True)

    def loss(x: Any, words: Any) -> Any:
        return whole(x.clone().contiguous(), words.to(torch.int64)).squeeze()

    return loss


def _two_halves(model: Any, compiler: Any) -> Any:
    parts = torch.compile(model.parts, backend=compiler, dynamic=True)
    whole = torch.compile(model.whole, backend=compiler, dynamic=True)

    def loss(*batch: Any) -> Any:
        return whole(*parts(*batch))

    return loss


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiled", "graphs"),
    [
        *((_dynamic, 1), (_automatic, 2), (_in_place, 1), (_marked, 1), (_in_new_memory, 1)),
        (_two_halves, 2),
    ],
)
def test_graphs_are_counted_however_they_are_made(compiled: Compile, graphs: int) -> None:
    replay = _repeated(compiled)
    assert (len(replay.graphs), replay.outside) == (graphs, "")


def _eager(model: Any, _compiler: Any) -> Any:
    return model


def _eager_beside_a_graph(model: Any, compiler: Any) -> Any:
    torch.compile(torch.exp, backend=compiler)(torch.zeros(3))
    return model


def _half_of_it(model: Any, compiler: Any) -> Any:
    parts = torch.compile(model.parts, backend=compiler, dynamic=True)

    def loss(*batch: Any) -> Any:
        return model.whole(*parts(*batch))

    return loss


def _weights_through_a_graph(model: Any, compiler: Any) -> Any:
    def once(*weights: Any) -> list[Any]:
        return [1.0 * each for each in weights]

    through = torch.compile(once, backend=compiler)

    def loss(*batch: Any) -> Any:
        names = [name for name, _ in model.named_parameters()]
        given = dict(zip(names, through(*model.parameters()), strict=True))
        return torch.func.functional_call(model, given, batch)

    return loss


@pytest.mark.slow
@pytest.mark.parametrize(
    "compiled", [_eager, _eager_beside_a_graph, _half_of_it, _weights_through_a_graph]
)
def test_what_is_computed_in_no_graph_is_named(compiled: Compile) -> None:
    assert _repeated(compiled).outside


def _one_for_each_size(model: Any, compiler: Any) -> Any:
    return torch.compile(model, backend=compiler, dynamic=False)


@pytest.mark.slow
def test_a_graph_of_each_size_is_counted_for_each() -> None:
    assert len(_repeated(_one_for_each_size).graphs) == len(SIZES)


NO_CALLS: list[list[Any]] = [
    [],
    [["input", 9]],
    [["input", 9], ["input", 10]],
    [["input", "9"], ["input", 10], ["out", 1.0]],
    [["input", 9], ["call", "aten.add.Tensor", [], {}, []], ["out", 1.0]],
    [["input", 9], ["input", 10], ["run", 0, ["list", []], []], ["out", 1.0]],
    [["input", 9], ["input", 10], ["graph", 0, []], ["graph", 0, []], ["out", 1.0]],
]


@pytest.mark.parametrize("steps", NO_CALLS)
def test_what_is_no_list_of_a_call_is_refused(steps: list[Any]) -> None:
    with pytest.raises((ValueError, KeyError)):
        GraphReplay([torch.zeros(1)]).answer([torch.zeros(2), torch.zeros(3)], steps)
