"""Persistent programs that take one block row after another; @triton.heuristics for the mask of a last block."""


### BEGIN SOLUTION sparse_attention_op.kernel
@triton.heuristics({"WHOLE": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def _attend(
    q_ptr, k_ptr, v_ptr, counts_ptr, columns_ptr, out_ptr,
    s_qb, s_qh, s_qn, s_kb, s_kh, s_kn, s_vb, s_vh, s_vn, s_ob, s_oh, s_on,
    heads, n, blocks, tasks, scale,
    CAUSAL: tl.constexpr, BLOCK: tl.constexpr, DIM: tl.constexpr, WHOLE: tl.constexpr,
):
    d = tl.arange(0, DIM)[None, :]
    t = tl.arange(0, BLOCK)
    for task in tl.range(tl.program_id(0), tasks, tl.num_programs(0)):
        plane = task // blocks
        i = task % blocks
        b = (plane // heads).to(tl.int64)
        h = (plane % heads).to(tl.int64)
        r = i * BLOCK + t
        q_at = q_ptr + b * s_qb + h * s_qh + r[:, None] * s_qn + d
        q = tl.load(q_at) if WHOLE else tl.load(q_at, mask=r[:, None] < n, other=0.0)
        m = tl.full([BLOCK], float("-inf"), tl.float32)
        l = tl.full([BLOCK], 0.0, tl.float32)
        acc = tl.full([BLOCK, DIM], 0.0, tl.float32)
        for p in range(tl.load(counts_ptr + task)):
            c = tl.load(columns_ptr + task.to(tl.int64) * blocks + p) * BLOCK + t
            k_at = k_ptr + b * s_kb + h * s_kh + c[:, None] * s_kn + d
            v_at = v_ptr + b * s_vb + h * s_vh + c[:, None] * s_vn + d
            if WHOLE:
                k = tl.load(k_at)
                v = tl.load(v_at)
            else:
                k = tl.load(k_at, mask=c[:, None] < n, other=0.0)
                v = tl.load(v_at, mask=c[:, None] < n, other=0.0)
            s = tl.dot(q, k.trans(1, 0), input_precision="ieee") * scale
            if not WHOLE:
                s = tl.where(c[None, :] < n, s, float("-inf"))
            if CAUSAL:
                s = tl.where(c[None, :] > r[:, None], float("-inf"), s)
            top = tl.maximum(m, tl.max(s, 1))
            ref = tl.where(top == float("-inf"), 0.0, top)
            w = tl.exp(s - ref[:, None])
            f = tl.exp(m - ref)
            l = f * l + tl.sum(w, 1)
            acc = f[:, None] * acc + tl.dot(w.to(v.dtype), v, input_precision="ieee")
            m = top
        o = acc / tl.where(l == 0, 1.0, l)[:, None]
        o_at = out_ptr + b * s_ob + h * s_oh + r[:, None] * s_on + d
        if WHOLE:
            tl.store(o_at, o.to(out_ptr.dtype.element_ty))
        else:
            tl.store(o_at, o.to(out_ptr.dtype.element_ty), mask=r[:, None] < n)


def attend(q, k, v, counts, columns, block, causal, out):
    """Write to `out` what the paper says, of the blocks that the lists name."""
    b, h, n, d = q.shape
    m = triton.cdiv(n, block)
    tasks = b * h * m
    programs = min(tasks, 132)
    if q.is_cuda:
        programs = min(tasks, torch.cuda.get_device_properties(q.device).multi_processor_count * 4)
    _attend[(programs,)](
        q, k, v, counts, columns, out,
        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
        h, n, m, tasks, 1.0 / d**0.5, CAUSAL=causal, BLOCK=block, DIM=d,
    )


### END SOLUTION
