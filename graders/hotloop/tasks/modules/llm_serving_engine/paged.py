"""Hidden inputs for paged attention: tensors, prompts for the decoder, and a timed GPU workload."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_list
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP16, FP32, I32
from hotloop.judge.gpu.recipes import Normal, Whole
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.llm_serving_engine import decoder

GARBAGE = (300.0, -300.0, float("nan"))
"""Values in slots that hold no token; an output that uses one is far off."""

HALF_TOLERANCE = Tolerance(2**-9, 4e-3)
"""For attention in float16: inputs are exact, and the output is rounded once."""


def tables(rng: Rng, lengths: list[int], size: int) -> tuple[NDArray[np.int64], int]:
    """Return block tables for sequences of these lengths, and the pool's block count.

    Blocks are in random order; unused entries of a row name an unused block.
    """
    counts = [-(-length // size) for length in lengths]
    blocks = sum(counts) + 3
    order = rng.permutation(blocks)
    table = np.full((len(lengths), max(counts)), int(order[-1]), np.int64)
    for row, count in enumerate(counts):
        table[row, :count], order = order[:count], order[count:]
    return table, blocks


def pool(rng: Rng, shape: tuple[int, ...], table: NDArray[np.int64], lengths: list[int]) -> Floats:
    """Return a pool [blocks, size, …]: normal numbers for tokens, garbage elsewhere."""
    size = shape[1]
    values = rng.choice(GARBAGE, shape)
    for row, length in zip(table, lengths, strict=True):
        for place in range(length):
            values[row[place // size], place % size] = rng.standard_normal(shape[2:])
    return values


# --- one sequence, in numpy -----------------------------------------------------------------------


def attended(q: Floats, k_pool: Floats, v_pool: Floats, table: Floats, length: int) -> Floats:
    """Return attention computed on contiguous keys and values."""
    used = np.asarray(table, np.int64)
    shape = (-1, *k_pool.shape[2:])
    k, v = (part[used].reshape(shape)[:length] for part in (k_pool, v_pool))
    return decoder.attention(q, k, v)


def chunks(rng: Rng) -> Iterator[Case]:
    """Yield whole prompts, chunks of them and single tokens, and scores that overflow exp."""
    for label, n, length, size, heads, kv_heads in (
        ("a single token", 1, 1, 4, 4, 2),
        ("a whole prompt", 29, 29, 8, 4, 2),
        ("a prompt that fills its blocks", 32, 32, 8, 6, 3),
        ("the second chunk of a prompt", 13, 50, 16, 4, 4),
        ("one new token after a block's end", 1, 17, 16, 8, 2),
        ("one new token of a long sequence", 1, int(rng.integers(300, 400)), 16, 4, 1),
        ("a chunk of blocks of one token", 5, 23, 1, 4, 2),
    ):
        yield _chunk(rng, label, n, length, size, (heads, kv_heads), 1.0)
    yield _chunk(rng, "scores beyond what exp can take", 6, 40, 8, (4, 2), 400.0)


def _chunk(
    rng: Rng, label: str, n: int, length: int, size: int, heads: tuple[int, int], scale: float
) -> Case:
    table, blocks = tables(rng, [length], size)
    shape = (blocks, size, heads[1], 16)
    q = scale * rng.standard_normal((n, heads[0], 16))
    k, v = (pool(rng, shape, table, [length]) for _ in range(2))
    tensors = (
        InputTensor(q, FP32),
        InputTensor(k, FP32),
        InputTensor(v, FP32),
        InputTensor(table[0], I32),
    )
    return Case(f"{label} ({n} of {length} tokens)", (*tensors, length), TensorSpec(q.shape, FP32))


def of_chunk(case: Case) -> Tolerance:
    """Return the tolerance: scores of size s err by about s roundings, which exp passes on."""
    q = case.arguments[0]
    assert isinstance(q, InputTensor)
    largest = float(np.abs(q.values).max())
    derived = Tolerance.derived(FP32, FP32, terms=400, amplification=16 * largest)
    return Tolerance(derived.relative, max(1e-5, 3e-6 * largest))


# --- the decoder's prompts ------------------------------------------------------------------------


def prompts(rng: Rng) -> Iterator[Question]:
    """Yield one prompt in different chunks, whose logits must be those of the whole prompt."""
    for label, length, counts in (
        ("a prompt in one piece", 40, [40]),
        ("a prompt in chunks", 90, [33, 1, 40, 16]),
        ("a prompt token by token", 24, [1] * 24),
        ("chunks at the edges of blocks", 64, [16, 15, 17, 16]),
    ):
        size = int(rng.choice([4, 8, 16]))
        tokens = [int(t) for t in rng.integers(0, len(decoder.CHARACTERS), length)]
        table, blocks = tables(rng, [length], size)
        prompt = {
            "tokens": tokens,
            "chunks": counts,
            "table": table[0].tolist(),
            "size": size,
            "blocks": blocks,
        }
        file = GivenFile("prompt.json", json.dumps(prompt).encode())
        yield Question(f"{label}, blocks of {size}", (file,), partial(_logits_mismatch, prompt))


def _logits_mismatch(prompt: dict[str, Any], answer: object) -> str | None:
    reported = [as_list(row) for row in as_list(answer)]
    ends = np.cumsum(prompt["chunks"])
    if len(reported) != len(ends) or any(len(row) != len(decoder.CHARACTERS) for row in reported):
        return f"it returns {shown(answer)}, not logits for each of {len(ends)} chunks"
    truth = decoder.logits(prompt["tokens"])
    for end, row in zip(ends, reported, strict=True):
        for token, (got, want) in enumerate(zip(row, truth[end - 1], strict=True)):
            what = f"after {end} tokens, the logit of token {token}"
            if mismatch := number_mismatch(what, got, float(want), 2e-4, 2e-3):
                return mismatch
    return None


# --- a batch of sequences, in Triton --------------------------------------------------------------


def decoded(q: Floats, k_pool: Floats, v_pool: Floats, table: Floats, positions: Floats) -> Floats:
    """Return the output of one token per sequence: [sequences, heads, dim]."""
    rows = zip(q, table, positions, strict=True)
    return np.concatenate([attended(a[None], k_pool, v_pool, b, int(c) + 1) for a, b, c in rows])


def sequences(rng: Rng) -> Iterator[Case]:
    """Yield lengths within blocks, groups that are no power of two, and large scores."""
    for label, lengths, size, heads, scale in (
        ("sequences of one token", [1, 1], 16, (2, 2), 1.0),
        ("sequences that fill blocks", [16, 48], 16, (4, 2), 1.0),
        ("sequences of odd lengths", [5, 33, 18, 70], 16, (8, 2), 1.0),
        ("three query heads for each key", [21, 40], 8, (6, 2), 1.0),
        ("scores of several hundred", [37, 9], 16, (4, 1), 12.0),
    ):
        yield _sequences(rng, label, lengths, size, heads, scale)


def counted_sequences(rng: Rng) -> Case:
    """Return a case with whole blocks only, for counting bytes."""
    lengths = [16 * int(rng.integers(3, 9)) for _ in range(3)]
    return _sequences(rng, "sequences of whole blocks", lengths, 16, (8, 2), 1.0)


def compiled_sequences(rng: Rng) -> Case:
    """Return a case with the head dimension of a GPU run, for compilation."""
    return _sequences(rng, "heads of 128", [64, 40], 16, (8, 2), 1.0, dim=128)


def _sequences(
    rng: Rng,
    label: str,
    lengths: list[int],
    size: int,
    heads: tuple[int, int],
    scale: float,
    dim: int = 32,
) -> Case:
    table, blocks = tables(np.random.default_rng([len(lengths), *lengths, size]), lengths, size)
    shape = (blocks, size, heads[1], dim)
    q = scale * rng.standard_normal((len(lengths), heads[0], dim))
    k, v = (pool(rng, shape, table, lengths) for _ in range(2))
    tensors = (InputTensor(q, FP16), InputTensor(k, FP16), InputTensor(v, FP16))
    plan = (InputTensor(table, I32), InputTensor(np.array(lengths) - 1, I32))
    return Case(label, (*tensors, *plan), TensorSpec(q.shape, FP16))


def of_half(_case: Case) -> Tolerance:
    """Return the tolerance of float16."""
    return HALF_TOLERANCE


def fewest_bytes(case: Case) -> int:
    """Return the minimum bytes: keys and values of each token once, q, tables, output."""
    q, k, _, _, positions = case.arguments
    assert isinstance(q, InputTensor)
    assert isinstance(k, InputTensor)
    assert isinstance(positions, InputTensor)
    size, kv_heads, dim = k.values.shape[1:]
    lengths = positions.values + 1
    tokens, blocks = int(lengths.sum()), int((-(-lengths // size)).sum())
    plan = 4 * kv_heads * (blocks + len(lengths))
    return 2 * 2 * tokens * kv_heads * dim + 2 * 2 * q.values.size + plan


# --- on a GPU -------------------------------------------------------------------------------------

BATCH, LENGTH, SIZE, HEADS, KV_HEADS, DIM = 256, 4096, 16, 32, 8, 128
POOL_BLOCKS = 32_768
"""Keys and values are 2 GiB together. A sequence reads up to 256 random blocks, so some are read
twice."""

GATHERED = Baseline(Path(__file__).parent / "baselines.py", "gathered")


def _spec(_rng: Rng, _index: int) -> CallSpec:
    q = TensorSpec((BATCH, HEADS, DIM), FP16)
    pools = TensorSpec((POOL_BLOCKS, SIZE, KV_HEADS, DIM), FP16)
    table, positions = TensorSpec((BATCH, LENGTH // SIZE), I32), TensorSpec((BATCH,), I32)
    return CallSpec((q, pools, pools, table, positions), q)


def _draws(_rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Any, ...]:
    """Return how to sample the inputs; positions are random, so no sequence is known to be full."""
    keys = Normal(1.0, "spikes", rows=64) if hostile else Normal(1.0)
    return Normal(1.0), keys, Normal(1.0), Whole(((POOL_BLOCKS, 1),)), Whole(((LENGTH, 1),))


def _truth(q: Any, k_pool: Any, v_pool: Any, table: Any, positions: Any) -> Any:
    """Compute on float64 torch tensors, 32 sequences at a time, which takes about 2 GB."""
    out = q.clone()
    for start in range(0, len(q), 32):
        part = slice(start, start + 32)
        out[part] = _attended(q[part], k_pool, v_pool, table[part], positions[part])
    return out


def _attended(q: Any, k_pool: Any, v_pool: Any, table: Any, positions: Any) -> Any:
    k, v = (p[table.long()].flatten(1, 2).permute(0, 2, 1, 3) for p in (k_pool, v_pool))
    grouped = q.reshape(len(q), KV_HEADS, HEADS // KV_HEADS, DIM)
    scores = grouped @ k.transpose(-1, -2) / DIM**0.5
    places = table.new_ones(k.shape[2]).cumsum(0) - 1
    hidden = places > positions[:, None]
    shares = scores.masked_fill(hidden[:, None, None, :], float("-inf")).softmax(-1)
    return (shares @ v).reshape(q.shape)


def bytes_of_call(_spec: CallSpec) -> int:
    """Return the bytes of an average call: half of the table's slots, each block counted once."""
    reads = BATCH * LENGTH / SIZE / 2
    blocks = POOL_BLOCKS * (1 - (1 - 1 / POOL_BLOCKS) ** reads)
    return int(blocks * SIZE * KV_HEADS * DIM * 2 * 2)


ON_GPU = DeviceWorkload(_spec, _draws, _truth, lambda _spec: HALF_TOLERANCE)
