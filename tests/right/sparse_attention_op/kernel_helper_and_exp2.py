"""Base-2 exponentials, a helper that loads a block, 'assert's, `and` of masks, the grid's axes the other way round."""


### BEGIN SOLUTION sparse_attention_op.kernel
LOG2E = tl.constexpr(math.log2(math.e))


@triton.jit
def _block_of(pointer, place, stride, length, D: tl.constexpr):
    """[BLOCK, D] of the tokens at `place`, zeros behind the sequence's end."""
    return tl.load(
        pointer + place[:, None] * stride + tl.arange(0, D)[None, :],
        mask=place[:, None] < length,
        other=0.0,
    )


@triton.jit
def _attend(
    q, k, v, counts, columns, out,
    qb, qh, qn, kb, kh, kn, vb, vh, vn, ob, oh, on,
    length, blocks, scale,
    CAUSAL: tl.constexpr, B: tl.constexpr, D: tl.constexpr,
):
    tl.static_assert(B >= 16, "tl.dot needs 16 rows")
    head, batch, i = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    heads = tl.num_programs(0)
    tl.device_assert(i < blocks, "a block behind the end")
    lst = ((batch * heads + head) * blocks + i).to(tl.int64)
    batch, head = batch.to(tl.int64), head.to(tl.int64)
    row = i * B + tl.arange(0, B)
    mine = _block_of(q + batch * qb + head * qh, row, qn, length, D)
    k += batch * kb + head * kh
    v += batch * vb + head * vh
    high = tl.full((B,), float("-inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    count = tl.load(counts + lst)
    for place in tl.range(0, count):
        column = tl.load(columns + lst * blocks + place) * B + tl.arange(0, B)
        s = tl.dot(mine, tl.trans(_block_of(k, column, kn, length, D)), input_precision="ieee")
        s = s * (scale * LOG2E)
        seen = (column < length)[None, :] and (row < length)[:, None]
        if CAUSAL:
            seen = seen and (column[None, :] <= row[:, None])
        s = tl.where(seen, s, float("-inf"))
        new = tl.maximum(high, tl.max(s, axis=1))
        ref = tl.maximum(new, -1e30)
        p = tl.exp2(s - ref[:, None])
        keep = tl.exp2(high - ref)
        total = tl.fma(total, keep, tl.sum(p, axis=1))
        values = _block_of(v, column, vn, length, D)
        acc = tl.dot(p.to(values.dtype), values, acc * keep[:, None], input_precision="ieee")
        high = new
    inverse = 1.0 / tl.where(total > 0.0, total, 1.0)
    place = out + batch * ob + head * oh + row[:, None] * on + tl.arange(0, D)[None, :]
    tl.store(place, (acc * inverse[:, None]).to(out.type.element_ty), mask=row[:, None] < length)


def attend(q, k, v, counts, columns, block, causal, out):
    """Write to `out` what the paper says, of the blocks that the lists name."""
    batch, heads, length, depth = q.shape
    blocks = counts.shape[2]
    strides = [s for x in (q, k, v, out) for s in (x.stride(0), x.stride(1), x.stride(2))]
    _attend[heads, batch, blocks](
        q, k, v, counts, columns, out, *strides, length, blocks, depth**-0.5,
        CAUSAL=bool(causal), B=block, D=depth,
    )


### END SOLUTION
