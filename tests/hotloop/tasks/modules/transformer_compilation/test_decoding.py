"""A recorded decoding step, repeated on other numbers, computes what the step itself would."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import torch

from hotloop.tasks.modules.transformer_compilation.given_files import EXERCISE, PROGRAMS

ROWS, LAYERS, HEADS, WIDTH, LONGEST, STEPS = 3, 2, 2, 8, 16, 4

FUSED = """
import torch

def prepare(weights, cache):
    return weights, torch.full((), 0.5)

def step(ready, token, place, cache, out):
    weights, half = ready
    x = weights["words"][token] + weights["places"][place]
    cache[0, torch.arange(len(x)), 0, :, place] = x.view(len(x), cache.shape[3], -1)
    seen = cache[0, :, 0].sum(2).reshape(x.shape)
    h = torch._addmm_activation(weights["up_bias"][0], seen, weights["up"][0], use_gelu=True)
    x = torch.addmm(x, h, weights["down"][0], beta=0.5).mul_(half)
    out.copy_(x @ weights["head"])
"""

REFUSED = {
    "waits": ("out.fill_(float(place[0]))", "cannot wait"),
    "counts flags": ("out.zero_()[place > 3] = 1", "cannot wait"),
    "a constant of the host": ("out.copy_(torch.tensor(1.0))", "torch.full"),
}


@pytest.fixture
def programs(
    load_file: Callable[[Path], ModuleType], monkeypatch: pytest.MonkeyPatch
) -> tuple[ModuleType, ModuleType]:
    for name in ("decoder", "recording"):
        monkeypatch.setitem(sys.modules, name, load_file(EXERCISE / f"{name}.py"))
    return load_file(PROGRAMS / "decode_records.py"), load_file(PROGRAMS / "decode_replays.py")


@pytest.mark.slow
def test_a_step_with_fused_operators(
    programs: tuple[ModuleType, ModuleType], load_file: Callable[[Path], ModuleType], tmp_path: Path
) -> None:
    records, replays = programs
    (file := tmp_path / "fused.py").write_text(FUSED)
    plan = records.record(str(file), ROWS, LAYERS, HEADS, WIDTH, LONGEST)
    assert 0 < replays.load(*plan) < 20
    vocabulary = 7 + ROWS
    sizes = records.decoder.shapes(vocabulary, LAYERS, WIDTH, LONGEST)
    weights = {name: torch.randn(shape) for name, shape in sizes.items()}
    cache = torch.randn(LAYERS, ROWS, 2, HEADS, LONGEST, WIDTH // HEADS)
    places, tokens = torch.tensor([0, 5, 9]), torch.randint(vocabulary, (ROWS, STEPS))
    got = torch.empty(ROWS, STEPS, vocabulary)
    replays.run(*weights.values(), cache, places, tokens, got)

    own, want = load_file(file), torch.empty_like(got)
    with torch.no_grad():
        ready, out = own.prepare(weights, cache), torch.empty(ROWS, vocabulary)
        for step in range(STEPS):
            own.step(ready, tokens[:, step], places + step, cache, out)
            want[:, step] = out
    assert torch.allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("line", REFUSED)
def test_what_a_graph_cannot_hold(
    line: str, programs: tuple[ModuleType, ModuleType], tmp_path: Path
) -> None:
    code, sentence = REFUSED[line]
    (file := tmp_path / "step.py").write_text(
        f"import torch\n\ndef prepare(weights, cache):\n    pass\n\n"
        f"def step(ready, token, place, cache, out):\n    {code}\n"
    )
    with pytest.raises(RuntimeError, match=sentence):
        programs[0].record(str(file), ROWS, LAYERS, HEADS, WIDTH, LONGEST)
