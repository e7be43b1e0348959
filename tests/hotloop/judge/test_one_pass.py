"""One pass in blocks is distinguished from whole rows, rereading and detours; valid ways pass."""

import math
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import torch

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.one_pass import OnePass
from hotloop.judge.checks.recorded_calls import Noted, RecordedCalls
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import BF16, FP16, FP32
from hotloop.judge.same_shapes import in_the_order_of
from hotloop.worker import torch_record, torch_replay

Softmax = Callable[[torch.Tensor], torch.Tensor]

COLUMNS = 70_001
CORRECT = Correct(
    Truth(lambda _rng: [], lambda x: _softmax(x), lambda _case: Tolerance(1e-2, 1e-6))
)
CHECK = OnePass(RecordedCalls(CORRECT, "operations"))


class Here:
    """The replaying process, in this one."""

    def answer(self, _function: str, asked: Case) -> Floats:
        tensor, steps = asked.arguments
        assert isinstance(tensor, InputTensor)
        out = torch.full(asked.out.shape, math.nan, dtype=_OF[asked.out.dtype])
        torch_replay.repeated(torch.tensor(tensor.rounded()).to(out.dtype), str(steps), out)
        return out.double().numpy()

    def ask(self, _function: str) -> dict[str, Any]:
        return torch_replay.note()


def ruled(function: Softmax, x: torch.Tensor | None = None) -> tuple[int, float]:
    """Return the widest reduction and the number of passes; the answer must be right."""
    x = torch.randn(1, COLUMNS) if x is None else x
    watched = torch_record.RecordedFunction(function)
    kept = x.clone()
    got = watched(x)
    assert torch.equal(x, kept)
    torch.testing.assert_close(got.float(), torch.softmax(x.float(), -1), rtol=1e-2, atol=1e-6)
    (note,) = watched.notes
    case, other = (_case(each) for each in (x, torch.randn(x.shape).to(x.dtype)))
    noted = Noted(case, note, in_the_order_of(case, other, np.random.default_rng(5)))
    return CHECK._require(case, CHECK._repeated(noted, cast(Any, Here())))


_OF = {FP32: torch.float32, FP16: torch.float16, BF16: torch.bfloat16}


def _case(x: torch.Tensor) -> Case:
    (dtype,) = (ours for ours, theirs in _OF.items() if theirs == x.dtype)
    return Case("row", (InputTensor(x.double().numpy(), dtype),), TensorSpec(tuple(x.shape), dtype))


def _softmax(x: Floats) -> Floats:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


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


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(INDEPENDENT.glob("*.py")), ids=lambda path: path.stem)
def test_what_others_wrote_is_fair(path: Path) -> None:
    assert ruled(runpy.run_path(str(path))["online_softmax"])[1] == pytest.approx(1.0, abs=0.01)


@pytest.mark.slow
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


@pytest.mark.slow
def test_what_is_computed_where_nothing_is_seen_is_a_wrong_answer() -> None:
    from concurrent.futures import ThreadPoolExecutor

    def elsewhere(x: torch.Tensor) -> torch.Tensor:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(library, x).result()

    with pytest.raises(Ruling, match="uncompiled, in this thread"):
        ruled(elsewhere)


@pytest.mark.slow
def test_numbers_may_be_looked_at_and_not_computed_with() -> None:
    def looked_at(x: torch.Tensor) -> torch.Tensor:
        assert float(x[..., :256].amax()) > -math.inf
        return blocks_of(256)(x)

    def rescaled_where_needed(x: torch.Tensor) -> torch.Tensor:
        maximum, total = torch.full((1,), -math.inf), torch.zeros(1)
        for part in x.split(512, -1):
            larger = part.amax(-1)
            if larger > maximum:
                total, maximum = total * torch.exp(maximum - larger), larger
            total += torch.exp(part - maximum[..., None]).sum(-1)
        return torch.exp(x - maximum[..., None]) / total[..., None]

    def as_numbers(x: torch.Tensor) -> torch.Tensor:
        maximum, total = -math.inf, 0.0
        for part in x.split(512, -1):
            larger = max(maximum, part.amax().item())
            total *= math.exp(maximum - larger)
            total += torch.exp(part - larger).sum().item()
            maximum = larger
        return torch.exp(x - maximum) / total

    assert ruled(looked_at)[0] == 256
    assert ruled(rescaled_where_needed) == (512, 1.0)
    with pytest.raises(Ruling, match="`item` takes values out of PyTorch"):
        ruled(as_numbers)


def counted(note: dict[str, Any]) -> Message:
    """Return the counts for a note that came with a right answer."""
    case, other = _case(torch.randn(1, COLUMNS)), _case(torch.randn(1, COLUMNS))
    return CHECK._repeated(
        Noted(case, note, in_the_order_of(case, other, np.random.default_rng(5))), cast(Any, Here())
    )


def steps_of(function: Softmax, x: torch.Tensor) -> list[Any]:
    watched = torch_record.RecordedFunction(function)
    watched(x)
    return torch_replay.unpacked(watched.notes[0]["steps"])


@pytest.mark.slow
def test_a_forged_list_has_to_compute_the_softmax_itself() -> None:
    """The library answers, and the list tells of one pass whose result nobody uses."""
    x = torch.randn(1, COLUMNS)
    honest, library_s = steps_of(blocks_of(512), x), steps_of(library, x)
    pretended = [*honest[:-1], *_renumbered(library_s, by=1 << 20)]
    for forged, words in (
        ([], "give none or a wrong one"),
        ([["out", ["tensor", 0, "float32", [1, COLUMNS], [COLUMNS, 1], 0]]], "Wrong"),
        (pretended, "reads 70001 numbers"),
    ):
        note = {"steps": torch_record.packed(forged) if forged else "", "exit": ""}
        case = _case(x)
        with pytest.raises(Ruling) as ruling:
            CHECK._require(case, counted(note))
        assert ruling.value.verdict is Verdict.WRONG_ANSWER
        assert words in ruling.value.sentence


def _renumbered(value: Any, by: int) -> Any:
    """Move the numbers of storages, except the input's, out of the way of another list's."""
    match value:
        case ["tensor", int(number), *rest]:
            return ["tensor", number + by * (number > 0), *rest]
        case ["call", name, given, named, results]:
            moved = [number + by for number in results]
            return ["call", name, _renumbered(given, by), _renumbered(named, by), moved]
        case ["constant", int(number), content]:
            return ["constant", number + by, content]
        case list():
            return [_renumbered(each, by) for each in cast(list[Any], value)]
        case dict():
            named = cast(dict[str, Any], value)
            return {key: _renumbered(each, by) for key, each in named.items()}
        case _:
            return value


@pytest.mark.parametrize(
    "name", ["aten.from_file.default", "aten.set_.source_Tensor", "aten._print", "hotloop.f", "x"]
)
def test_operations_that_read_files_or_are_not_of_pytorch_are_not_repeated(name: str) -> None:
    with pytest.raises(ValueError, match="no operation that can be repeated"):
        torch_replay.operation(name)


def test_a_tensor_behind_its_storage_is_refused() -> None:
    replay = torch_replay.Replay([torch.zeros(4)])
    for layout in (([5], [1], 0), ([1], [1], 4), ([2], [-1], 1), ([1], [1], -1)):
        with pytest.raises(IndexError):
            replay.decoded(["tensor", 0, "float32", *layout])


def test_an_answer_of_another_kind_than_a_note_is_tampered() -> None:
    case = Case("row", (), TensorSpec((1, COLUMNS), FP32))
    for note in ({}, {"widest": "x", "reduced": 1, "widest_by": "", "unfollowed": ""}):
        with pytest.raises(Ruling) as ruling:
            CHECK._require(case, note)
        assert ruling.value.verdict is Verdict.TAMPERED
