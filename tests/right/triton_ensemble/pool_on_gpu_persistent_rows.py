"""Persistent programs, each with several rows, and three-dimensional tiles."""


### BEGIN SOLUTION triton_ensemble.pool_on_gpu kernel
@triton.jit
def _pool_rows(
    hidden_ptr,
    mask_ptr,
    out_ptr,
    rows,
    length,
    width,
    ROWS: tl.constexpr,
    TOKENS: tl.constexpr,
    BLOCK: tl.constexpr,
):
    d = tl.arange(0, BLOCK)[None, None, :]
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        r = tile.to(tl.int64) * ROWS + tl.arange(0, ROWS)
        total = tl.zeros((ROWS, BLOCK), tl.float32)
        for first in range(0, length, TOKENS):
            t = first + tl.arange(0, TOKENS)
            place = r[:, None] * length + t[None, :]
            there = (r < rows)[:, None] & (t < length)[None, :]
            kept = tl.load(mask_ptr + place, mask=there, other=False).to(tl.int1)
            address = hidden_ptr + place[:, :, None] * width + d
            x = tl.load(address, mask=kept[:, :, None] & (d < width), other=0.0)
            total += tl.sum(x.to(tl.float32), axis=1)
        square = tl.sum(total * total, axis=1)
        scale = tl.where(square > 0.0, 1.0 / tl.sqrt(square), 0.0)
        where = r[:, None] * width + tl.arange(0, BLOCK)[None, :]
        inside = (r < rows)[:, None] & (tl.arange(0, BLOCK) < width)[None, :]
        tl.store(out_ptr + where, total * scale[:, None], mask=inside)


### END SOLUTION


### BEGIN SOLUTION triton_ensemble.pool_on_gpu launch
def pool(hidden, mask, out):
    rows, length, width = hidden.shape
    _pool_rows[(min(4, rows),)](
        hidden,
        mask,
        out,
        rows,
        length,
        width,
        ROWS=2,
        TOKENS=8,
        BLOCK=triton.next_power_of_2(width),
    )


### END SOLUTION
