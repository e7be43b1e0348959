"""One pass in blocks is distinguished from whole rows, rereading and detours; valid ways pass."""

import math
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import TensorSpec
from hotloop.judge.dtypes import FP32
from hotloop.judge.rungs.correct import Case, Correct, Tensor
from hotloop.judge.rungs.one_pass import OnePass
from hotloop.judge.rungs.watched import Watched
from hotloop.worker import torch_operations

Softmax = Callable[[torch.Tensor], torch.Tensor]

COLUMNS = 70_001
CORRECT = Correct(lambda _rng: [], lambda x: x, lambda _case: None)  # pyright: ignore
RUNG = OnePass(Watched(CORRECT, "operations"))


def ruled(function: Softmax, x: torch.Tensor | None = None) -> tuple[int, float]:
    """Return the widest reduction and the number of passes; the answer must be right."""
    x = torch.randn(1, COLUMNS) if x is None else x
    watched = torch_operations.Watched(function)
    kept = x.clone()
    got = watched(x)
    assert torch.equal(x, kept)
    torch.testing.assert_close(got.float(), torch.softmax(x.float(), -1), rtol=1e-2, atol=1e-6)
    tensor = Tensor(np.zeros(tuple(x.shape)), FP32)
    case = Case("a long row", (tensor,), TensorSpec(tuple(x.shape), FP32))
    (note,) = watched.notes
    return RUNG._require(case, note)


# --- fair -----------------------------------------------------------------------------------------


def state(x: torch.Tensor, block: int, dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    maximum = torch.full(x.shape[:-1], -math.inf, dtype=dtype)
    total = torch.zeros_like(maximum)
    for start in range(0, x.shape[-1], block):
        part = x[..., start : start + block].to(dtype)
        larger = torch.maximum(maximum, part.amax(-1))
        total = total * torch.exp(maximum - larger) + torch.exp(part - larger[..., None]).sum(-1)
        maximum = larger
    return maximum, total


def blocks_of(block: int, dtype: torch.dtype = torch.float32) -> Softmax:
    def softmax(x: torch.Tensor) -> torch.Tensor:
        maximum, total = state(x, block, dtype)
        return (torch.exp(x.to(dtype) - maximum[..., None]) / total[..., None]).to(x.dtype)

    return softmax


def written_in_blocks(x: torch.Tensor) -> torch.Tensor:
    maximum, total = state(x, 1000, torch.float32)
    out = torch.empty_like(x)
    for part, result in zip(x.split(333, -1), out.split(333, -1), strict=True):
        result.copy_((part.float() - maximum[..., None]).exp() / total[..., None])
    return out


def in_place(x: torch.Tensor) -> torch.Tensor:
    maximum = torch.full(x.shape[:-1], -math.inf)
    total = torch.zeros(x.shape[:-1])
    for part in torch.split(x, 512, dim=-1):
        values = part.clone()
        larger = torch.maximum(maximum, values.amax(-1))
        total.mul_(maximum.sub_(larger).exp_())
        total.add_(values.sub_(larger.unsqueeze(-1)).exp_().sum(-1))
        maximum.copy_(larger)
    out = x.clone()
    return out.sub_(maximum.unsqueeze(-1)).exp_().div_(total.unsqueeze(-1))


def rescaled_at_the_end(x: torch.Tensor) -> torch.Tensor:
    """Exponentials are stored relative to the maximum so far."""
    out = torch.empty_like(x)
    maximum, total = torch.full((1,), -math.inf), torch.zeros(1)
    shifts: list[tuple[int, torch.Tensor]] = []
    for start in range(0, x.shape[-1], 2048):
        part = x[..., start : start + 2048]
        larger = torch.maximum(maximum, part.max(-1).values)
        weights = torch.exp(part - larger[..., None])
        out[..., start : start + 2048] = weights
        total = total * torch.exp(maximum - larger) + weights.sum(-1)
        maximum = larger
        shifts.append((start, larger))
    for start, shift in shifts:
        out[..., start : start + 2048] *= (torch.exp(shift - maximum) / total)[..., None]
    return out


def pairs_by_logsumexp(x: torch.Tensor) -> torch.Tensor:
    """Each block's log-sum-exp is combined with the one so far."""
    log_sum = torch.full(x.shape[:-1], -math.inf)
    for part in x.split(800, -1):
        log_sum = torch.logaddexp(log_sum, torch.logsumexp(part.float(), -1))
    return torch.exp(x - log_sum[..., None])


def blocks_first_and_then_combined(x: torch.Tensor) -> torch.Tensor:
    maxima, sums = [], []
    for part in x.split(256, -1):
        maxima.append(part.amax(-1))
        sums.append(torch.exp(part - maxima[-1][..., None]).sum(-1))
    m, s = torch.stack(maxima), torch.stack(sums)
    top = m.amax(0)
    total = (s * torch.exp(m - top)).sum(0)
    return torch.exp(x - top[..., None]) / total[..., None]


def by_masks(x: torch.Tensor) -> torch.Tensor:
    """Rows without a finite element are repaired with masks."""
    maximum, total = state(x, 640, torch.float32)
    maximum[maximum == -math.inf] = 0.0
    out = torch.empty_like(x)
    torch.exp(x - maximum[..., None], out=out)
    out /= torch.where(total == 0, 1.0, total)[..., None]
    out.masked_fill_(torch.isnan(out), 0.0)
    out[torch.isinf(out)] = 0.0
    return torch.nan_to_num(1.0 * out)


INDEPENDENT = Path(__file__).parents[2] / "benchmarks" / "independent" / "online_pass"


@pytest.mark.parametrize("path", sorted(INDEPENDENT.glob("*.py")), ids=lambda path: path.stem)
def test_what_others_wrote_is_fair(path: Path) -> None:
    assert ruled(runpy.run_path(str(path))["online_softmax"])[1] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    "function",
    [
        by_masks,
        *(blocks_of(block) for block in (32, 100, 256, 4096)),
        blocks_of(512, torch.float64),
        written_in_blocks,
        in_place,
        rescaled_at_the_end,
        pairs_by_logsumexp,
        blocks_first_and_then_combined,
    ],
)
def test_fair_ways_read_each_element_once(function: Softmax) -> None:
    widest, passes = ruled(function)
    assert passes == pytest.approx(1.0, abs=0.01)
    assert 16 <= widest <= 4096


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("shape", [(COLUMNS,), (1, COLUMNS), (1, 1, COLUMNS)])
def test_of_any_rank_and_dtype(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    assert ruled(blocks_of(1024), torch.randn(shape).to(dtype)) == (1024, 1.0)


# --- not fair -------------------------------------------------------------------------------------


def library(x: torch.Tensor) -> torch.Tensor:
    return torch.nan_to_num(torch.softmax(x.float(), -1), nan=0.0)


def by_logsumexp(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x - torch.logsumexp(x, -1, keepdim=True))


def maximum_then_sum(x: torch.Tensor) -> torch.Tensor:
    e = torch.exp(x - x.amax(-1, keepdim=True))
    return e / e.sum(-1, keepdim=True)


def three_passes(x: torch.Tensor) -> torch.Tensor:
    top = torch.stack([part.amax(-1) for part in x.split(256, -1)]).amax(0)
    total = torch.zeros_like(top)
    for part in x.split(256, -1):
        total += torch.exp(part - top[..., None]).sum(-1)
    return torch.exp(x - top[..., None]) / total[..., None]


def clone_then_whole_row(x: torch.Tensor) -> torch.Tensor:
    return maximum_then_sum(x.clone())


def copied_in_pieces(x: torch.Tensor) -> torch.Tensor:
    buffer = torch.empty(x.shape)
    for part, target in zip(x.split(256, -1), buffer.split(256, -1), strict=True):
        target.copy_(part)
    return maximum_then_sum(buffer)


def three_passes_over_a_copy(x: torch.Tensor) -> torch.Tensor:
    return three_passes(torch.cat([part * 1.0 for part in x.split(256, -1)], -1))


def laundered_by_a_product(x: torch.Tensor) -> torch.Tensor:
    one = torch.eye(1000)
    parts = [part @ one[: part.shape[-1], : part.shape[-1]] for part in x.split(1000, -1)]
    return three_passes(torch.cat(parts, -1))


def unfolded(x: torch.Tensor) -> torch.Tensor:
    padded = torch.nn.functional.pad(x, (0, -x.shape[-1] % 256), value=-math.inf)
    blocks = padded.unfold(-1, 256, 256)
    top = blocks.amax(-1).amax(-1, keepdim=True)
    return torch.exp(x - top) / torch.exp(blocks - top[..., None]).sum((-1, -2))[..., None]


def strided(x: torch.Tensor) -> torch.Tensor:
    row = x.as_strided((x.shape[-1],), (1,), x.storage_offset())
    return maximum_then_sum(row)[None]


def one_after_the_other(x: torch.Tensor) -> torch.Tensor:
    """Reductions as a decoy, and computation with Python numbers."""
    for part in x.split(256, -1):
        part.amax(-1)
    return library(torch.tensor(x.tolist()))


def by_numpy(x: torch.Tensor) -> torch.Tensor:
    values = x.numpy()
    e = np.exp(values - values.max(-1, keepdims=True))
    return torch.from_numpy(e / e.sum(-1, keepdims=True))


def by_dlpack(x: torch.Tensor) -> torch.Tensor:
    return by_numpy(torch.from_numpy(np.from_dlpack(x)))


def by_pieces_of_numpy(x: torch.Tensor) -> torch.Tensor:
    parts = [np.asarray(part) for part in x.split(256, -1)]
    return by_numpy(torch.from_numpy(np.concatenate(parts, -1)))


def running_sums(x: torch.Tensor) -> torch.Tensor:
    return torch.exp(x - torch.logcumsumexp(x, -1)[..., -1:])


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (library, "`_softmax` reads 70001 numbers"),
        (by_logsumexp, "`logsumexp` reads 70001 numbers"),
        (maximum_then_sum, "`amax` reads 70001 numbers"),
        (clone_then_whole_row, "`amax` reads 70001 numbers"),
        (copied_in_pieces, "`amax` reads 70001 numbers"),
        (unfolded, "of a row of 70001 at once"),
        (strided, "`amax` reads 70001 numbers"),
        (running_sums, "`logcumsumexp` reads 70001 numbers"),
        (three_passes, "read the row 2.00 times"),
        (three_passes_over_a_copy, "read the row 2.00 times"),
        (laundered_by_a_product, "times, once is allowed"),
        (one_after_the_other, "`tolist` takes values out"),
        (by_numpy, "`numpy` takes values out"),
        (by_dlpack, "`__dlpack__` takes values out"),
        (by_pieces_of_numpy, "`__array__` takes values out"),
    ],
)
def test_what_is_no_single_pass_is_a_wrong_answer(function: Softmax, words: str) -> None:
    with pytest.raises(Ruling) as ruling:
        ruled(function)
    assert ruling.value.verdict is Verdict.WRONG_ANSWER
    assert words in ruling.value.sentence


def test_what_is_computed_where_nothing_is_seen_is_a_wrong_answer() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def elsewhere(x: torch.Tensor) -> torch.Tensor:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(library, x).result()

    with pytest.raises(Ruling, match="0 of 70001 elements"):
        ruled(elsewhere)


def test_elements_that_are_read_one_by_one_leave_pytorch() -> None:
    def by_item(x: torch.Tensor) -> torch.Tensor:
        float(x[0, 0])
        return blocks_of(256)(x)

    def by_state(x: torch.Tensor) -> torch.Tensor:
        assert float(x[..., :256].amax()) > -math.inf
        return blocks_of(256)(x)

    with pytest.raises(Ruling, match="`item` takes values out"):
        ruled(by_item)
    assert ruled(by_state)[0] == 256


def test_an_answer_of_another_kind_than_a_note_is_tampered() -> None:
    case = Case("row", (), TensorSpec((1, COLUMNS), FP32))
    for note in ({}, {"widest": "x", "reduced": 1, "widest_by": "", "exit": ""}):
        with pytest.raises(Ruling) as ruling:
            RUNG._require(case, note)
        assert ruling.value.verdict is Verdict.TAMPERED
