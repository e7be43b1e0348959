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
# # Compile a transformer
#
# A transformer is matrix products with attention between them. Compilers are good at the products since decades, and at attention
# since a few years. Here you find out why, on paper first, then on a CPU, then as a kernel for a GPU that need not be there.
#
# How it works here:
#
# - You write in the Python files beside this notebook, where a line says `### TASK …`. Save, and run the cell with `check(…)` here.
# - No GPU is needed. What only a GPU can show says `not_measured`, and its points stay open.
# - Stuck? Each task has three hints. Open one at a time.
#
# | file | what it is |
# | --- | --- |
# | `attention_cost.py` | bytes and least times, before anything is run |
# | `tiled.py` | attention by tiles in PyTorch |
# | `flash_triton.py` | attention as one kernel in OpenAI Triton |
# | `policy.py` | when to compile, and what for |

# %%
import json
import time
from pathlib import Path

import torch

from hotloop import check

# %% [markdown]
# ## 1. Before anything is run
#
# ### CARD transformer_compilation.count_bytes
#
# Standard attention is three kernels. Each reads its operands from memory once and writes its result once:
#
# | kernel | reads | writes | arithmetic |
# | --- | --- | --- | --- |
# | scores | Q, K | S | 2 · head_dim for each element of S |
# | softmax | S | P | counted as 0 |
# | output | P, V | O | 2 · head_dim for each element of P |
#
# S is `[batch, heads, queries, keys]` with `score_bytes` an element, P as large with `element_bytes`, like Q, K, V and O. K and V have
# `kv_heads` heads, and are not copied for the others. All scores are computed, also with `causal`.
#
# The tiled kernel has a program for each `block_q` queries of each head (the last one has fewer where they do not divide). It reads its
# queries once, writes its outputs once, and reads K and V in blocks of `block_k` keys (the last one may be shorter). With `causal` the last query sees
# the last key, and query i the keys up to i + keys − queries; a program reads no block of which its last query sees nothing, and every block
# that it reads is computed with all of its queries: 4 · head_dim operations a pair. Nobody shares a cache with anybody.
#
# A kernel takes at least `launch_s + max(bytes / bytes_per_s, operations / flops_per_s)`. Write `account(path)` in `attention_cost.py`; the file
# holds a dict of these numbers. It returns a dict of
#
# - `standard_bytes`, `tiled_bytes`: of all kernels together, whole numbers;
# - `fewest_bytes`: Q, K, V and O once each, which no kernel can be below;
# - `standard_s`, `tiled_s`: least times, the three kernels one after the other;
# - `bounds`: for scores, softmax, output and the tiled kernel what is largest: `"launch"`, `"memory"` or `"arithmetic"`.
#
# ### HINTS transformer_compilation.count_bytes

# %%
import attention_cost

# An H100's figures from its data sheet, as an example: 3.35 TB/s, 989 TFLOP/s in 16 bits without sparsity.
problem = {
    "batch": 4, "heads": 16, "kv_heads": 16, "queries": 2048, "keys": 2048, "head_dim": 64,
    "element_bytes": 2, "score_bytes": 4, "causal": True, "block_q": 128, "block_k": 64,
    "bytes_per_s": 3.35e12, "flops_per_s": 9.89e14, "launch_s": 3e-6,
}  # fmt: skip
Path("problem.json").write_text(json.dumps(problem))
attention_cost.account("problem.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "count_bytes", "locked": true, "points": 11, "solution": false, "task": false}
check("transformer_compilation.count_bytes")

# %% [markdown]
# Now the prediction for *your* machine. The cell measures what a copy and a matrix product reach here, has your function predict, and measures. *Predict
# first*: which of the two is nearer to its least time, and which of its parts does the model leave out?


# %%
def fastest(work, runs=5):
    """Seconds of the fastest run."""
    work()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def predict_and_measure(heads=8, length=1024, width=64):
    """Standard attention and PyTorch's fused one, predicted and measured, in milliseconds."""
    x, square = torch.randn(1 << 25), torch.randn(1024, 1024)
    here = {
        "bytes_per_s": 2 * x.nbytes / fastest(x.clone),
        "flops_per_s": 2 * 1024**3 / fastest(lambda: square @ square),
        "launch_s": 5e-6,
    }
    sizes = {"batch": 1, "heads": heads, "kv_heads": heads, "queries": length, "keys": length}
    types = {"head_dim": width, "element_bytes": 4, "score_bytes": 4, "causal": False}
    blocks = {"block_q": 128, "block_k": 512}
    Path("problem.json").write_text(json.dumps({**here, **sizes, **types, **blocks}))
    told = attention_cost.account("problem.json")
    q, k, v = (torch.randn(heads, length, width) for _ in range(3))
    standard = fastest(lambda: torch.softmax(q @ k.mT / width**0.5, -1) @ v)
    fused = fastest(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v))
    for name, least, measured in (
        ("standard", told["standard_s"], standard),
        ("fused", told["tiled_s"], fused),
    ):
        print(f"{name}: at least {least * 1e3:.1f} ms, measured {measured * 1e3:.1f} ms")


predict_and_measure()

# %% [markdown]
# ## 2. Tiles and the online softmax
#
# ### CARD transformer_compilation.tiled_attention
#
# Write `attention(q, k, v, causal, cap, out)` in `tiled.py`:
#
# - `q` and `out` are `[heads, n, d]`, `k` and `v` `[heads, m, d]`, all float32. Scores are `q · k / √d`.
# - With `cap` other than 0 a score s becomes `cap · tanh(s / cap)` before anything else, as Gemma 2 does it. PyTorch's
#   `scaled_dot_product_attention` has no such argument: a library has the kernels that somebody has asked for.
# - With `causal`, query i sees the keys up to i + m − n: the last query sees the last key. **A query that sees no key gives zeros.**
# - Scores may be some hundred. Nothing is returned: your result must lie in `out`.
#
# The judge times it against one operation a line, causal and with a cap, two heads of about 1500 queries and keys. It shows your share of
# what arithmetic alone would take. Compiling parts of it is allowed, and not timed.
#
# ### HINTS transformer_compilation.tiled_attention

# %%
import tiled

q, k, v = (torch.randn(2, 1500, 64) for _ in range(3))
out = torch.empty_like(q)
scores = (q @ k.mT / 8).masked_fill(torch.ones(1500, 1500, dtype=torch.bool).triu(1), -torch.inf)
tiled.attention(q, k, v, True, 0.0, out)
print("largest error", (out - torch.softmax(scores, -1) @ v).abs().max().item())
fused = torch.nn.functional.scaled_dot_product_attention
print(f"yours {1e3 * fastest(lambda: tiled.attention(q, k, v, True, 0.0, out)):.1f} ms, "
      f"the library's {1e3 * fastest(lambda: fused(q, k, v, is_causal=True)):.1f} ms")  # fmt: skip

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tiled_attention", "locked": true, "points": 16, "solution": false, "task": false}
check("transformer_compilation.tiled_attention")

# %% [markdown]
# ## 3. One kernel
#
# ### CARD transformer_compilation.flash_forward
#
# Write `attention(q, k, v, scale, causal, out)` in `flash_triton.py`, with a kernel in OpenAI Triton:
#
# - `q` and `out` are `[heads, n, d]`, `k` and `v` `[heads / group, m, d]`, contiguous, float16 or float32; d is 16, 32, 64 or 128. Heads of
#   queries 0 to group − 1 share the first head of keys, and so on.
# - `scale` is a Python float of any sign. `causal` and rows that see no key are as in task 2. There is no cap.
# - Sums are float32, whatever the inputs are. In float16 the weights may be rounded to float16 before they are multiplied with v.
#
# The judge runs the kernel alone and counts bytes: keys and values are to be read once for 64 queries or more, and blocks that none of them sees
# not at all. It compiles it for sm_90 and looks for `wgmma` in the PTX, the instruction by which four warps feed a Hopper
# tensor core. In float32 ask `tl.dot` for `input_precision="ieee"`: on a card it would round to TF32 otherwise.
#
# ### HINTS transformer_compilation.flash_forward

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "flash_forward", "locked": true, "points": 29, "solution": false, "task": false}
check("transformer_compilation.flash_forward")

# %% [markdown]
# ## 4. When to compile
#
# ### CARD transformer_compilation.compile_policy
#
# A service gets calls of many lengths. Before each of them your policy chooses a way:
#
# | way | a call of length L takes | before the first such call |
# | --- | --- | --- |
# | `{"run": "eager"}` | `eager[0] + eager[1] · L` | nothing |
# | `{"run": "static", "size": S}`, S ≥ L | `static[0] + static[1] · S`, whatever L is | `compile_static_s` |
# | `{"run": "dynamic"}` | `dynamic[0] + dynamic[1] · L` | `compile_dynamic_s` |
#
# Now and then the process is started anew. Its programs are gone, but what was once compiled is on the disk, and costs `load_s` when it is
# first wanted again: that is what compiling ahead of time leaves. At most `most_static` programs for one size can be alive; one more runs eagerly
# instead, as PyTorch does beyond `recompile_limit`.
#
# `decide(prices, memory, call)` gets three texts of JSON:
#
# - `prices`: a dict of the names above, and `longest`, the largest length and size that there is;
# - `memory`: what you returned last time, `null` at first, 16384 bytes at most;
# - `call`: `length`; `life`, the number of the process; `alive`, the sizes of programs that it has, and `compiled`, of those that were ever compiled. The
#   program for all lengths is listed as 0.
#
# It returns one text of JSON: `[memory, way]`. You do not know how many calls there will be, and the numbers are drawn anew each time. The judge adds
# up the seconds, and compares with the best fixed set of programs for the whole stream, which nobody can know before.
#
# ### HINTS transformer_compilation.compile_policy

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "compile_policy", "locked": true, "points": 14, "solution": false, "task": false}
check("transformer_compilation.compile_policy")

# %% [markdown]
# ## 5. Explain it
#
# ### CARD transformer_compilation.explain
#
# A team serves a decoder of 32 layers, 32 heads of 128, 8 heads of keys, for prompts of 100 to 4000 tokens, and asks you for a plan. Write 300 to 600 words:
#
# 1. what prefill and decoding wait for, with bytes and times that you have computed;
# 2. which rewrites you would make, what each saves, and one measurement of your own with its conditions;
# 3. which programs you compile, when, for which sizes, and from which number of calls on this pays;
# 4. what you have not measured, and what would change the plan.
#
# A person reads and marks this answer.
#
# ### HINTS transformer_compilation.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 10, "solution": true, "task": false}
# ### BEGIN SOLUTION transformer_compilation.explain
# ### STUB *Write your answer here.*
# Prefill of 4000 tokens, one layer: the scores of 32 heads are 32 · 4000² · 4 B = 2.0 GB in float32, the weights half of that. Standard attention writes
# and reads both: 6.1 GB, at 3 TB/s 2.0 ms. Tiled, with 128 queries to a program and causal, keys and values are read some 16 times on average: 32 heads · 32 programs · about 2000 keys · 2 · 256 B = 1.0 GB at most, and most
# of that comes from the cache. Its arithmetic, 4 · 128 · 32 · 4000² / 2 = 0.13 TFLOP, takes 0.13 ms at 1 PFLOP/s: the tiled kernel waits for arithmetic, and the three kernels wait for memory.
#
# Decoding has one query a sequence. Weights of the whole model are read for each step, and the cache of keys: 8 · 4000 · 2 · 256 B = 16 MB a layer. There
# are no scores worth tiling; a split over keys is for filling the card. With some ten launches a layer of 3 µs each, 32 layers cost about 1 ms of launches: CUDA graphs, and fixed shapes for them.
#
# Rewrites: tiled attention in prefill; q, k and v in one product; bias, residual and norm fused into one kernel each. On this machine's CPU my tiled attention, causal, took between a third and a fifth of one operation a line at length 2048, one thread, fastest of three runs; the model said
# less, since it forgets the exponentials.
#
# Programs: prefill with a free length, compiled ahead of time; programs for a single size only for lengths that are common: it pays after compile time / (gain a call) calls, here 1.2 s / 15 ms = 80 calls. Decoding: one program a batch size of 1, 2, 4, 8, recorded.
#
# Not measured: anything on a GPU. If prompts were all shorter than 200 tokens I would leave attention alone, and look at launches first.
# ### END SOLUTION
