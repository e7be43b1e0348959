# ---
# jupyter:
#   jupytext:
#     cell_metadata_filter: nbgrader,-all
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # GEMM on tensor cores
#
# Most of the time of a language model goes into matrix products (GEMM). In this notebook you write them from register tiles to tensor cores
# with a pipeline of asynchronous copies, and order the programs of a Triton kernel for the L2 cache. Then you multiply with weights of four
# bits, quantize to MXFP8, MXFP4 and NVFP4, and write the attention kernel of a decode step.
#
# How it works here:
#
# - CUDA C++ kernels are in `kernels.cu`, Triton kernels in `kernels_triton.py`, one in Gluon in `gluon_tile.py`. Edit them beside this notebook, save, and run the cell
#   with `check(…)`.
# - Without a GPU, Hotloop's simulator runs CUDA C++. `#include "hotloop/tensor_cores.cuh"` has `ldmatrix` and `mma`: one PTX instruction
#   each with nvcc, and the same fragments in the simulator. `cuda_pipeline.h` is CUDA's own; in the simulator a copy arrives only when its
#   thread waits for it, so the simulator reports a missing wait or barrier with its line. What only a GPU can show says `not_measured`.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# The lesson has a picture of the fragments, of the swizzle and of the pipeline.

# %%
from hotloop import check

# %% [markdown]
# ## 1. CUDA C++: register tiles
#
# ### CARD gemm_tensor_cores.warp_tiled
#
# `warp_tiled(a, b, c, m, n, k)` in `kernels.cu` multiplies float32 matrices without tensor cores: `a` is [m, k], `b` [k, n] and `c`
# [m, n], row-major. It is launched as `<<<dim3(m / 64, n / 64), 256>>>`: block (i, j) computes the tile of 64 × 64 elements at row 64 i
# and column 64 j of c. m and n are multiples of 64, k of 16.
#
# A multiply-add needs two operands. If each thread reads both from shared memory, that is 8 bytes for each multiply-add. Give each thread 4 × 4
# elements of c: 8 numbers from shared memory then serve 16 multiply-adds, 2 bytes each. The check counts them.
#
# ### HINTS gemm_tensor_cores.warp_tiled

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "warp_tiled", "locked": true, "points": 20, "solution": false, "task": false}
check("gemm_tensor_cores.warp_tiled")

# %% [markdown]
# ## 2. CUDA C++: one warp, one tensor core
#
# ### CARD gemm_tensor_cores.mma_tile
#
# `mma_tile(a, b, c, m, n, k)` is launched as `<<<dim3(m / 16, n / 16), 32>>>`: **one warp computes 16 × 16 elements of c**. `a` and `b`
# are bfloat16, `c` is float32, all row-major; m, n and k are multiples of 16.
#
# For each 16 of k, put 16 × 16 elements of a and of b into shared memory, load fragments with `hotloop::ldmatrix_x4` and
# `hotloop::ldmatrix_x4_trans`, and multiply twice with `hotloop::mma_m16n8k16<bf16>(d, a, b)`, which adds to d. The comment at the top of
# `hotloop/tensor_cores.cuh` and the lesson say which element each lane has.
#
# ### HINTS gemm_tensor_cores.mma_tile

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "mma_tile", "locked": true, "points": 19, "solution": false, "task": false}
check("gemm_tensor_cores.mma_tile")

# %% [markdown]
# ## 3. CUDA C++: a swizzled layout
#
# ### CARD gemm_tensor_cores.swizzle
#
# `swizzle(a, b, c, m, n, k)` is launched as `<<<dim3(m / 64, n / 64), 128>>>`: four warps compute 64 × 64 elements of c, and the extents
# are multiples of 64. Types and layouts are as in task 2.
#
# Load tiles of 64 × 64 of a and of b, 16 bytes per thread at a time. A row of such a tile has 128 bytes, all 32 banks once. So the eight
# rows that `ldmatrix` reads at a time are in the same four banks: 8 passes instead of one. Padding would help; here **you have only 16,384
# bytes**. Change the order of the eight chunks of 16 bytes within each row instead.
#
# ### HINTS gemm_tensor_cores.swizzle

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "swizzle", "locked": true, "points": 21, "solution": false, "task": false}
check("gemm_tensor_cores.swizzle")

# %% [markdown]
# ## 4. CUDA C++: a pipeline of asynchronous copies
#
# ### CARD gemm_tensor_cores.pipelined
#
# `pipelined(a, b, c, m, n, k)`: the same product and launch, with padding or swizzle as you like (48 KB). **While the warps multiply the
# tiles of one step, the copies of the next step's tiles are in flight.** Copy with `__pipeline_memcpy_async(to, from, 16)`,
# `__pipeline_commit()` and `__pipeline_wait_prior(n)` from `cuda_pipeline.h`. A thread waits for its own copies; a barrier after that makes
# them visible to the others.
#
# The check counts the bytes for which the warp multiplied between copy and wait. Only the first step, of at most 64 elements of k, may be
# waited for at once.
#
# ### HINTS gemm_tensor_cores.pipelined

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "pipelined", "locked": true, "points": 24, "solution": false, "task": false}
check("gemm_tensor_cores.pipelined")

# %% [markdown]
# ## 5. Triton: an order of programs for the L2 cache
#
# ### CARD gemm_tensor_cores.triton_matmul
#
# Write `triton_matmul(a, b, c)` in `kernels_triton.py`: `a` [m, k] and `b` [k, n] are float16, `c` [m, n] is float32, all contiguous, of any
# extents.
#
# Programs with neighboring numbers run at the same time and share the L2 cache. If 16 of them compute a row of tiles of c, they need 17
# rows and columns of tiles; as a square of 4 × 4 they need 8. Map `tl.program_id(0)` to tiles accordingly. The check replays your programs and
# counts what 16 in a row load together; groups of four or eight rows of tiles pass.
#
# ### HINTS gemm_tensor_cores.triton_matmul

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "triton_matmul", "locked": true, "points": 23, "solution": false, "task": false}
check("gemm_tensor_cores.triton_matmul")

# %% [markdown]
# ## 6. Triton: split-k
#
# ### CARD gemm_tensor_cores.split_k
#
# `split_k(a, b, c)`: types as in task 5, but k is much longer than m and n. With a tile of 64 × 64 a product [64, 4096] · [4096, 64] is one
# program, on a GPU with 132 SMs. Split the sum: **at least 32 programs** for such a product, in the first launch, each with a part of k, and a second kernel
# that adds up the parts. Do it in a fixed order, without atomic additions.
#
# ### HINTS gemm_tensor_cores.split_k

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "split_k", "locked": true, "points": 17, "solution": false, "task": false}
check("gemm_tensor_cores.split_k")

# %% [markdown]
# ## 7. Triton: a fused epilogue
#
# ### CARD gemm_tensor_cores.epilogue
#
# `epilogue(x, w, bias, residual, out)`: `out = gelu(x @ w + bias) + residual`. `x` [m, k], `w` [k, n], `bias` [n] and `residual` [m, n] are
# float16, and so is `out`; all are contiguous, of any extents. Compute the sum, the exact gelu (with erf) and the residual in float32, before
# anything is written.
#
# ### HINTS gemm_tensor_cores.epilogue

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "epilogue", "locked": true, "points": 13, "solution": false, "task": false}
check("gemm_tensor_cores.epilogue")

# %% [markdown]
# ## 8. Weights of four bits
#
# ### CARD gemm_tensor_cores.quantize_w4
#
# Write `quantize_w4(path, group)`. `path` is a JSON file with a matrix of weights as k rows of n numbers; `group` is even and divides k.
# Each `group` rows of a column share a scale, and a weight is represented by `(code − 8) · scale`, with a code from 0 to 15. Return a dict:
#
# | key | value |
# | --- | --- |
# | `"scales"` | k / group rows of n floats above 0 |
# | `"packed"` | k / 2 rows of n whole numbers: the code of row 2i plus 16 times the code of row 2i + 1 |
#
# No weight may differ from its representation by more than half of one seventh of the largest magnitude in its group. All weights of a
# group can be zero.
#
# ### HINTS gemm_tensor_cores.quantize_w4


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "quantize_w4_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_tensor_cores.quantize_w4
### STUB def quantize_w4(path, group):
### STUB     raise NotImplementedError("gemm_tensor_cores.quantize_w4")
import json


def quantize_w4(path, group):
    with open(path, encoding="utf-8") as stream:
        w = json.load(stream)
    columns = range(len(w[0]))
    scales, codes = [], []
    for first in range(0, len(w), group):
        rows = w[first : first + group]
        largest = [max(abs(row[c]) for row in rows) for c in columns]
        scale = [value / 7 if value else 1.0 for value in largest]
        scales.append(scale)
        codes += [[8 + round(row[c] / scale[c]) for c in columns] for row in rows]
    packed = [
        [low + 16 * high for low, high in zip(even, odd, strict=True)]
        for even, odd in zip(codes[::2], codes[1::2], strict=True)
    ]
    return {"scales": scales, "packed": packed}


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "quantize_w4", "locked": true, "points": 6, "solution": false, "task": false}
check("gemm_tensor_cores.quantize_w4")

# %% [markdown]
# ## 9. Triton: a product with packed weights
#
# ### CARD gemm_tensor_cores.w4a16
#
# `w4a16(x, packed, scales, out)`: `x` [m, k] is float16, `packed` [k / 2, n] uint8 as in task 8, `scales` [k / 64, n] float16 (a group has 64
# rows), and `out` [m, n] float32 is x times the dequantized weights. Dequantize in registers. Numbers from −8 to 7 are exact in float16, and the sum over a
# group can be scaled once.
#
# ### HINTS gemm_tensor_cores.w4a16

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "w4a16", "locked": true, "points": 14, "solution": false, "task": false}
check("gemm_tensor_cores.w4a16")

# %% [markdown]
# ## 10. Block-scaled formats
#
# ### CARD gemm_tensor_cores.block_scaled
#
# Write `block_scaled(path, format)`. `path` is a JSON file with a list of floats; its length is a multiple of 32. Return
# `{"scales": […], "elements": […], "tensor_scale": …}`: one code for each block and for each number, as whole numbers.
#
# | format | elements | block | scale of a block | `tensor_scale` |
# | --- | --- | --- | --- | --- |
# | `"mxfp8"` | E4M3: largest 448, bias 7 | 32 | E8M0, code = exponent + 127 | 1.0 |
# | `"mxfp4"` | E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 | 32 | E8M0 | 1.0 |
# | `"nvfp4"` | E2M1 | 16 | E4M3 | largest magnitude of all / (6 · 448) |
#
# MX (OCP specification, section 6.3): the exponent of the scale is that of the block's largest magnitude, floor(log2), minus that of the
# largest element (8 for E4M3, 2 for E2M1). It is at least −127 and at most 127; a block of zeros has the code 0. An element is value /
# scale, rounded to the nearest number of its format, **ties to the even code**; values beyond the largest element are clamped to it. The
# sign is the highest bit (128 or 8), also for a value that is rounded to 0.
#
# NVFP4: the scale of a block is its largest magnitude / 6 / tensor_scale, rounded to E4M3; an element is value / (scale · tensor_scale), with the rounded
# scale, and code 0 where that is 0. For a file of zeros tensor_scale is 1.0.
#
# ### HINTS gemm_tensor_cores.block_scaled


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "block_scaled_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_tensor_cores.block_scaled
### STUB def block_scaled(path, format):
### STUB     raise NotImplementedError("gemm_tensor_cores.block_scaled")
import json
import math

E4M3 = {"fraction": 3, "bias": 7, "largest": 448.0, "sign": 128}
E2M1 = {"fraction": 1, "bias": 1, "largest": 6.0, "sign": 8}


def exponent_of(value):
    return math.frexp(value)[1] - 1  # exact, where log2 would round


def encode(value, kind):
    magnitude = min(abs(value), kind["largest"])
    smallest = 1 - kind["bias"]
    exponent = max(exponent_of(magnitude), smallest) if magnitude else smallest
    steps = round(math.ldexp(magnitude, kind["fraction"] - exponent))  # ties to even
    # One step too many for this exponent is the first number of the next one.
    code = steps + ((exponent - smallest) << kind["fraction"])
    return code + (kind["sign"] if math.copysign(1.0, value) < 0 else 0)


def decode(code, kind):
    exponent, steps = code >> kind["fraction"], code & ((1 << kind["fraction"]) - 1)
    if exponent:
        steps += 1 << kind["fraction"]
    return math.ldexp(steps, max(exponent, 1) - kind["bias"] - kind["fraction"])


def block_scaled(path, format):
    with open(path, encoding="utf-8") as stream:
        values = json.load(stream)
    kind = E4M3 if format == "mxfp8" else E2M1
    scales, elements, tensor_scale = [], [], 1.0
    size = 16 if format == "nvfp4" else 32
    if format == "nvfp4":
        tensor_scale = max(map(abs, values)) / (6.0 * 448.0) or 1.0
    for first in range(0, len(values), size):
        block = values[first : first + size]
        largest = max(map(abs, block))
        if format == "nvfp4":
            code = encode(largest / 6.0 / tensor_scale, E4M3)
            scale = decode(code, E4M3) * tensor_scale
        else:
            exponent = exponent_of(largest) - exponent_of(kind["largest"]) if largest else -127
            exponent = min(max(exponent, -127), 127)
            code, scale = exponent + 127, 2.0**exponent
        scales.append(code)
        elements += [encode(value / scale, kind) if scale else 0 for value in block]
    return {"scales": scales, "elements": elements, "tensor_scale": tensor_scale}


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "block_scaled", "locked": true, "points": 12, "solution": false, "task": false}
check("gemm_tensor_cores.block_scaled")

# %% [markdown]
# ## 11. Triton: attention of a decode step
#
# ### CARD gemm_tensor_cores.decode_attention
#
# `decode_attention(q, k, v, pages, lengths, out)` in `kernels_triton.py`: softmax(q · kᵀ / √d) · v for **one new token of each sequence**.
#
# - `q` [sequences, heads, d] is float16, `out` has the same shape and is float32. d is a power of two, at least 32.
# - `k` and `v` [pages, 16, kv_heads, d] are float16, a cache of pages of 16 tokens. Each kv_head serves heads / kv_heads (at most 16) neighboring query heads: head h uses kv_head h // (heads // kv_heads).
# - `pages` [sequences, most pages] and `lengths` [sequences] are int32: token t of sequence s is in page `pages[s, t // 16]`, at position t
#   % 16. Entries after a sequence's end are not valid pages.
#
# One sequence of 480 tokens and two kv_heads would be two programs. Split the tokens, at least 12 programs in the first launch of such a call, and let a second
# kernel combine the parts: with the sum l and the maximum x of each part, log-sum-exp = x + log l weights the parts. Load each page once for all heads that
# share it.
#
# ### HINTS gemm_tensor_cores.decode_attention

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "decode_attention", "locked": true, "points": 20, "solution": false, "task": false}
check("gemm_tensor_cores.decode_attention")

# %% [markdown]
# ## 12. Read a listing
#
# ### CARD gemm_tensor_cores.inspect_listing
#
# Write `inspect_listing(path)`: `path` is an excerpt of PTX from nvcc or Triton. Return how often each instruction occurs, as
# `{"mma": …, "wgmma": …, "ldmatrix": …, "cp_async": …, "flops": …}`. Count `mma.sync`, `wgmma.mma_async`, `ldmatrix` and
# asynchronous copies (`cp.async.ca`, `cp.async.cg`), but neither comments (`//`) nor instructions that only commit, fence or wait. A predicate such as `@%p1` can stand in front. `flops`: two operations for each
# m · n · k in the shape of every product, each instruction once.
#
# ### HINTS gemm_tensor_cores.inspect_listing


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "inspect_listing_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_tensor_cores.inspect_listing
### STUB def inspect_listing(path):
### STUB     raise NotImplementedError("gemm_tensor_cores.inspect_listing")
import re


def inspect_listing(path):
    starts = {
        "mma": ("mma.sync.",),
        "wgmma": ("wgmma.mma_async.",),
        "ldmatrix": ("ldmatrix.",),
        "cp_async": ("cp.async.ca.", "cp.async.cg."),
    }
    found = dict.fromkeys([*starts, "flops"], 0)
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            code = re.sub(r"^@!?%\w+\s+", "", line.split("//")[0].strip())
            for kind, names in starts.items():
                found[kind] += code.startswith(names)
            shape = re.match(r"(?:mma|wgmma)\.\S*?\.m(\d+)n(\d+)k(\d+)\.", code)
            if shape:
                m, n, k = map(int, shape.groups())
                found["flops"] += 2 * m * n * k
    return found


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "inspect_listing", "locked": true, "points": 6, "solution": false, "task": false}
check("gemm_tensor_cores.inspect_listing")

# %% [markdown]
# ## 13. A tile on Hopper in Gluon
#
# ### CARD gemm_tensor_cores.gluon_tile
#
# Triton decides on layouts, shared memory and pipelines for you. In Gluon, which is in the same package, you decide: you allocate the
# slots, initialize the barriers, start the TMA loads and wait for wgmma. You need no GPU to compile a kernel for one.
#
# Write in `gluon_tile.py`:
#
# - `product(a, b, c, k, TILE_N, STAGES)`: program (i, j) computes one tile of c = a @ b, with sums in float32. `a`, `b` and `c` are tensor descriptors of float16 whose tiles are 128 × 64, 64 × TILE_N and
#   128 × TILE_N; `k` is a multiple of 64. Keep `STAGES` slots for a and b (2 to 4), so that **a load is under way whenever a product starts**, but for the last one. Store the result by TMA. One warp group
#   of four warps; both operands come from shared memory.
# - `read_ptx(path)`: for such a kernel's PTX, a dict. `shape` is the wgmma's, such as `"m64n128k16"`; `products` is the number of
#   wgmma.mma_async, `stages` the number of initialized barriers. `loads` and `stores` are the numbers of TMA instructions in each
#   direction, and `bytes` is the most that a phase of a barrier expects.
#
# The judge runs the IR of your kernel on a model of these instructions that tracks each copy and each product in flight, and compiles the
# same IR to PTX itself. Speed on a GPU: not measured here. Predict before you read: how many wgmma does a tile of 128 × 128 × 64 need?
#
# ### HINTS gemm_tensor_cores.gluon_tile

# %%
import tempfile
from pathlib import Path

try:
    import gluon_tile  # needs Triton, which a notebook on a hub may lack; the check does not

    listing = Path(tempfile.mkdtemp()) / "kernel.ptx"
    listing.write_text(gluon_tile.compiled(128, 3).asm["ptx"])
    print(gluon_tile.read_ptx(listing))
except Exception as error:
    print("not compiled yet:", str(error).splitlines()[0])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "gluon_tile", "locked": true, "points": 18, "solution": false, "task": false}
check("gemm_tensor_cores.gluon_tile")

# %% [markdown]
# ## 14. How fast can this product get?
#
# ### CARD gemm_tensor_cores.explain
#
# A decoder layer has a weight matrix of 8192 × 8192. On a GPU with 800 TFLOP/s for bfloat16 and 4 TB/s, you multiply it with a batch of m tokens, m from 1 to
# 8192. Answer in 100 to 250 words:
#
# 1. For which m is the product limited by memory, and how long does it take at least for m = 1, m = 64 and m = 8192? Show the calculation.
# 2. What changes for m = 64 if the weights have four bits with a float16 scale for each 64 of them, and activations stay bfloat16?
# 3. At m = 8192 your kernel reaches half of the 800 TFLOP/s. Which two figures do you look at first, and what would each of them make you change?
#
# A person grades this answer.
#
# ### HINTS gemm_tensor_cores.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION gemm_tensor_cores.explain
# ### STUB *Write your answer here.*
# The product has 2 · m · 8192² operations. It moves 134 MB of weights, and 33 KB for each token (8192 inputs and 8192 results of 2 bytes). The
# ridge is 800 / 4 = 200 operations a byte. For small m the intensity is about m operations a byte, so up to m of about 210 memory limits. m = 1: 134 MB / 4 TB/s
# = 34 µs. m = 64: 136 MB, still 34 µs; the arithmetic alone would take 11 µs. m = 8192: 1.1 · 10¹² operations / 800 TFLOP/s = 1.37 ms; the bytes (403 MB) take 0.1 ms.
#
# With four bits the weights have 33.6 MB and the scales 2.1 MB, so m = 64 takes about 38 MB / 4 TB/s = 9.5 µs: now the arithmetic, 11 µs, is the limit,
# because the products are still bfloat16. At m = 1 the gain is almost 3.8 times, at m = 64 about 3.2 times, and at 8192 there is none.
#
# At half of the peak I look first at the tensor pipe's utilization and stall reasons: if warps wait for shared memory or barriers, the pipeline is too
# short (more stages, larger tiles per warp, bank conflicts). Then at bytes from L2 and DRAM against the 403 MB: if they are many times that, tiles are too small or the order of programs wastes the
# cache. I would also check that the grid fills the last wave.
# ### END SOLUTION
