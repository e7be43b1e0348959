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
# A transformer is matrix products with attention between them. Libraries have had fast matrix products for decades, and fast attention for
# only a few years. Here you find out why: first on paper, then on a CPU, then in a GPU kernel that also runs without a GPU.
#
# How it works here:
#
# - You write in the Python files next to this notebook, where a line says `### TASK …`. Save, and run the cell with `check(…)` here.
# - No GPU is needed. What only a GPU can show says `not_measured`, and its points are pending.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `attention_cost.py` | bytes moved and lower bounds on time, before anything is run |
# | `tiled.py` | tiled attention in PyTorch |
# | `flash_triton.py` | attention as one kernel in OpenAI Triton |
# | `flash_backward.py` | its gradients |
# | `fusion_pass.py`, `small_graph.py` | a fusion pass for the operators between the products, and graphs for it |
# | `output_code.py` | reading the code that Inductor generates |
# | `schedules.py` | schedules chosen by a learned cost model |
# | `fp8.py` | keys in FP8 |
# | `policy.py` | when to compile, and with which mode |
# | `cold_start.py`, `starts.py` | what a new process spends before its first answer, and processes to measure it with |
# | `serving.py`, `served.py` | a service that compiles once for all sizes, and the model that it serves |
# | `decoding.py`, `decoder.py`, `recording.py` | a decoding step that can be captured, a decoder, and a graph recorder for the CPU |

# %%
import json
import time
from pathlib import Path

import torch

from hotloop import check

# %% [markdown]
# ## 1. Count bytes and FLOPs of attention
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
# S is `[batch, heads, queries, keys]` with `score_bytes` per element, P has the same shape with `element_bytes`, like Q, K, V and O. K and
# V have `kv_heads` heads, and are not copied for the other heads. All scores are computed, also with `causal`.
#
# The tiled kernel has a program for each `block_q` queries of each head (the last one has fewer if the division leaves a remainder). It
# reads its queries once, writes its outputs once, and reads K and V in blocks of `block_k` keys (the last one may be shorter). With
# `causal` the last query sees the last key, and query i sees the keys up to i + keys − queries. A program does not read a block of which
# its last query sees nothing. Every block that it reads is computed with all of its queries: 4 · head_dim operations per pair. Requests do
# not share caches.
#
# A kernel takes at least `launch_s + max(bytes / bytes_per_s, operations / flops_per_s)`. Write `account(path)` in `attention_cost.py`; the file
# holds a dict of these numbers. It returns a dict of
#
# - `standard_bytes`, `tiled_bytes`: of all kernels together, whole numbers;
# - `fewest_bytes`: Q, K, V and O once each, a lower bound for any kernel;
# - `standard_s`, `tiled_s`: least times, the three kernels one after the other;
# - `bounds`: for scores, softmax, output and the tiled kernel, in this order, the largest term: `"launch"`, `"memory"` or `"arithmetic"`; a
#   list, or a dict with the keys `"scores"`, `"softmax"`, `"output"` and `"tiled"`.
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
# Now predict *your* machine. The cell measures the speed of a copy and of a matrix product here, calls your function, and measures.
# *Predict first*: which of the two versions is nearer to its least time, and which part of them does the model leave out?


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
# ## 2. Tiled attention with the online softmax
#
# ### CARD transformer_compilation.tiled_attention
#
# Write `attention(q, k, v, causal, cap, out)` in `tiled.py`:
#
# - `q` and `out` are `[heads, n, d]`, `k` and `v` `[heads, m, d]`, all float32. Scores are `q · k / √d`.
# - With `cap` other than 0 a score s becomes `cap · tanh(s / cap)` before anything else, as Gemma 2 does it. PyTorch's
#   `scaled_dot_product_attention` has no such argument: a library has only the kernels that were requested often enough.
# - With `causal`, query i sees the keys up to i + m − n: the last query sees the last key. **A query that sees no key gives zeros.**
# - Scores may reach several hundred. Return nothing: write the result to `out`.
#
# The judge times it against an implementation with one operation per line, causal and with a cap, two heads of about 1500 queries and keys.
# It reports how close you are to the time of the arithmetic alone. Compiling parts of it is allowed, and not timed.
#
# On a GPU it is judged with tensors there: 64 heads of 2048 queries and keys, in float32, causal, with a cap. A tile saves the same there,
# passes over memory. The difference is the cost of launches: one for each head and tile would be thousands. Which axis should not be a loop
# there?
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

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tiled_attention", "locked": true, "points": 25, "solution": false, "task": false}
check("transformer_compilation.tiled_attention")

# %% [markdown]
# ## 3. FlashAttention forward in Triton
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
# The judge runs the kernel alone and counts bytes: keys and values must be read once for 64 queries or more, and blocks that none of these
# queries sees must not be read. It compiles the kernel for sm_90 and looks for `wgmma` in the PTX, the instruction with which four warps
# feed a Hopper tensor core. In float32 pass `input_precision="ieee"` to `tl.dot`: otherwise a GPU would round to TF32.
#
# ### HINTS transformer_compilation.flash_forward

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "flash_forward", "locked": true, "points": 32, "solution": false, "task": false}
check("transformer_compilation.flash_forward")

# %% [markdown]
# ## 4. FlashAttention backward in Triton
#
# ### CARD transformer_compilation.flash_backward
#
# A backward pass needs the weights of the forward pass. Storing them would lose what tiling saved, so they are recomputed from the scores
# and one number per query, the logarithm of its sum of exponentials: P = exp(S − lse). Write `gradients(q, k, v, out, dout, lse, scale,
# causal, grads)` in `flash_backward.py`, with kernels in Triton:
#
# - `q`, `out` and `dout` are `[heads, n, d]`, `k` and `v` `[heads, m, d]`, contiguous, of one dtype, float16 or float32; `lse` is `[heads, n]` in float32, −inf for a query that
#   sees no key. `causal` is as before. There are no grouped heads.
# - `grads` is `[heads, n + 2m, d]`: the gradients of q, then of k, then of v.
# - With P and D = Σ dout · out over the width: dV = Pᵀ dout, dS = P · (dout Vᵀ − D), dQ = scale · dS K, dK = scale · dSᵀ Q.
#
# Programs run in any order and must not add to the same place. *Predict* before you count: how many matrix products does the forward pass
# have, how many does this one have, and how many bytes does that save or cost against storing P?
#
# On a GPU `attention_gradients`, which is given, is timed: PyTorch's forward, which leaves `out` and `lse`, and your backward, against
# PyTorch's forward and backward.
#
# ### HINTS transformer_compilation.flash_backward

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "flash_backward", "locked": true, "points": 30, "solution": false, "task": false}
check("transformer_compilation.flash_backward")

# %% [markdown]
# ## 5. A fusion pass between the matmuls
#
# ### CARD transformer_compilation.fuse_pass
#
# Each matrix product of a transformer is followed by small operations: bias, gelu, residual, norm. Each reads and writes everything once.
# Suppose that you have two fused kernels:
#
# | kernel | gives |
# | --- | --- |
# | `bias_gelu(x, bias)`, with the gelu's `approximate` | gelu(x + bias); the bias is a vector of the last axis |
# | `add_layer_norm(x, bias, residual, weight, shift)`, with the norm's `eps` | under its name the norm of x + bias + residual; under its name followed by `.sum`, that sum. x and residual have one shape, the bias is a vector or `null` |
#
# Write `fuse(path)` in `fusion_pass.py`. It reads a graph in the form that `small_graph.py` shows. It returns a graph
# with the same inputs and the same names of outputs, and with as few kernels as these two allow. Every value must stay the same up to
# rounding. Nodes come after the nodes that they use. The judge draws graphs of many blocks: additions in any order, sums that have other
# users or are outputs, tables that look like a bias.
#
# ### HINTS transformer_compilation.fuse_pass

# %%
import fusion_pass
import small_graph

block = small_graph.Block(64)
graph, values = small_graph.from_module(block, torch.randn(8, 64))
Path("graph.json").write_text(json.dumps(graph))
fused = fusion_pass.fuse("graph.json")
print(len(graph["nodes"]), "kernels, fused", len(fused["nodes"]))
(one,), (other,) = small_graph.run(graph, values), small_graph.run(fused, values)
print("largest difference", (one - other).abs().max().item())

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fuse_pass", "locked": true, "points": 12, "solution": false, "task": false}
check("transformer_compilation.fuse_pass")

# %% [markdown]
# ## 6. Read Inductor's output code
#
# ### CARD transformer_compilation.read_output
#
# How does PyTorch's own compiler handle such a block? TorchInductor writes a Python program, its *output code*: kernels as text, and a
# function `call` that allocates memory and calls them. `TORCH_LOGS=output_code` prints it. The cell compiles the block of the last task for
# this CPU (it needs g++) and keeps its output code. *Predict first*: how many of the six small operations remain separate?
#
# Write `read_output(path)` in `output_code.py`, for a file with output code for a CPU. It returns a dict of
#
# - `kernels`: a dict for each call of a kernel, in order. `name` is the called name, such as `cpp_fused_add_gelu_0`, or `extern_kernels.mm`
#   of a library. `fused` is the sorted list of the ATen operators in the kernel, such as `["add", "gelu"]`, from which its name is
#   composed; some operators have underscores of their own, and `torch.ops.aten` has all. It is `[]` for a library call. `loads` and
#   `stores` are bytes: of all tensors that the call may read, and write, each of them whole and once; a tensor that is changed in place
#   counts in both.
# - `reused`: a pair `[new, old]` of names for each buffer that takes over the memory of another one, in order.
#
# `assert_size_stride` gives the sizes of a tensor, but not its dtype. The parameters of a kernel give the dtype, and so does `get_args` at
# the end; a library product has one dtype for all its tensors. The judge asks about recorded output code of blocks in float32 and bfloat16,
# with changed numbers. Its expected values come from Inductor itself, not from the text.
#
# ### HINTS transformer_compilation.read_output

# %%
import output_code
from torch._inductor.utils import run_and_get_code

with torch.no_grad():
    _, (code,) = run_and_get_code(torch.compile(block), torch.randn(8, 64))
Path("output.txt").write_text(code)
print(code[code.index("def call(") : code.index("runner = ")])
output_code.read_output("output.txt")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_output", "locked": true, "points": 13, "solution": false, "task": false}
check("transformer_compilation.read_output")

# %% [markdown]
# ## 7. A learned cost model
#
# ### CARD transformer_compilation.learned_costs
#
# A product C[m, n] = Σ A[m, k] · B[k, n] can be computed by thousands of schedules. A schedule has three tile sizes, the unroll factor of
# the inner loop and its vector width, and decides whether a tile of C stays until its sum is done (`keep_output`) or a tile of A. The best
# schedule depends on the shape and on the machine. The machines here are **simulated**, with caches, vectors, registers and latencies that
# are redrawn for each judging; a measurement has some percent of noise, and occasionally is far too long. So you cannot know the best
# schedules in advance, but you can learn them.
#
# `tune(path)` in `schedules.py` is called again and again with a JSON file:
#
# - `space`: the possible values of each part of a schedule;
# - `measured`: all measurements so far, each a dict of `shape` `[m, n, k]`, `schedule` (a dict of all parts) and `seconds`;
# - `left`: how many measurements you may still ask for. While it is not 0, return a list of pairs `[shape, schedule]`, at least one and at most `left`, with shapes of
#   `shapes`. There are 160 in all.
# - `shapes`: when `left` is 0, these are new shapes. Return a list with a schedule for each of them, in order.
#
# Nothing is kept between calls except what is in the file, and a call may take 60 seconds. The judge compares with exhaustive search, which only a simulation allows. The
# score is time over best time, as a geometric mean over 12 unseen shapes and the 10 of 12 machines on which you did best: occasionally a
# machine is drawn that no budget of 160 can learn.
#
# ### HINTS transformer_compilation.learned_costs

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "learned_costs", "locked": true, "points": 14, "solution": false, "task": false}
check("transformer_compilation.learned_costs")

# %% [markdown]
# ## 8. Decide when to compile
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
# The process restarts from time to time. Its programs are lost, but a program that was compiled once is cached on disk, and costs `load_s`
# when it is first needed again, as after compiling ahead of time. At most `most_static` programs for one size can be alive; one more runs
# eagerly instead, as PyTorch does beyond `recompile_limit`.
#
# `decide(prices, memory, call)` gets three texts of JSON:
#
# - `prices`: a dict of the names above, and `longest`, the largest possible length and size;
# - `memory`: what you returned last time, `null` at first, 16384 bytes at most;
# - `call`: `length`; `life`, the number of the process; `alive`, the sizes of programs that it has, and `compiled`, of those that were ever compiled. The
#   program for all lengths is listed as 0.
#
# It returns one text of JSON: `[memory, way]`. You do not know how many calls there will be, and the numbers are redrawn each time. The
# judge adds up the seconds, and compares with the best fixed set of programs for the whole stream, which is known only in hindsight.
#
# ### HINTS transformer_compilation.compile_policy

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "compile_policy", "locked": true, "points": 14, "solution": false, "task": false}
check("transformer_compilation.compile_policy")

# %% [markdown]
# ## 9. Measure the cold start
#
# ### CARD transformer_compilation.cold_start
#
# The policy's prices were given. Here you measure them. `starts.py` has the same small model three ways, each in new processes: `eager`;
# `compiled`, by `torch.compile` when the first call arrives; and from a `package` that AOTInductor has built ahead of time
# (`torch._inductor.aoti_compile_and_package`, loaded by `aoti_load_package`). Write two functions in `cold_start.py`.
#
# `measured(start, build, clock, processes, calls)` takes the times:
#
# - `start(way, kept)` starts a process, and returns when it has imported PyTorch. `kept` names the folder of its compiler cache: programs
#   that were compiled before under this name are loaded from it, and new ones are stored there. The process has `call()`, which returns
#   when the call is answered, and `end()`, which ends it. Processes that run at the same time slow each other down.
# - `build()` builds the package, which must be there before a process is started from it. `clock()` gives seconds.
#
# Start at least `processes` processes for each way, and make 1 + `calls` calls in each. Return `{"ways": {way: {"build_s": …, "runs":
# [{"kept": …, "seconds": […]}, …]}}}`. `build_s` is 0 except for the package; each process is a run; `seconds` are the times of its calls,
# **the first one counted from the start of the process**; `kept` says whether its cache could contain compiled programs. `processes` runs
# of each way must be cold.
#
# `break_even(path)` reads such a record, with `calls_each` beside `ways`: how many calls each process of a service gets. It returns a dict of a dict for each way:
#
# - `first_s`: the median of first answers, of processes with an empty cache; `call_s`: the median of all later calls, of all processes;
# - for `compiled` and `package` also `calls`, a whole number: the smallest number of calls such that a process with that many calls or more
#   takes no longer in total than an eager process; `None` if there is no such number;
# - and `processes`: the fewest processes of `calls_each` calls, one at least, one after the other, that together with `build_s` take no
#   longer than as many eager ones; `None` if no number does. Every process that compiles has an empty cache.
#
# The judge does not rely on timings of your machine. `break_even` gets made-up records, and `measured` measures a simulated machine with
# its own clock: time passes only while a process starts or answers, and while the package is built.
#
# *Predict first*, for your machine: which way has the first answer first, and how many calls make up for compiling?
#
# ### HINTS transformer_compilation.cold_start

# %%
import tempfile

import cold_start
import starts

with tempfile.TemporaryDirectory() as folder:
    world = starts.Starts(folder)
    record = cold_start.measured(world.start, world.build, time.perf_counter, 1, 20)
Path("record.json").write_text(json.dumps({**record, "calls_each": 1000}))
print(f"built ahead of time in {record['ways']['package']['build_s']:.1f} s")
cold_start.break_even("record.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cold_start", "locked": true, "points": 11, "solution": false, "task": false}
check("transformer_compilation.cold_start")

# %% [markdown]
# ## 10. Serve all sizes with few graphs
#
# ### CARD transformer_compilation.few_graphs
#
# The policy assumes that a program for all lengths is one program. TorchDynamo decides whether it is: each graph has guards, and a request
# that fails them causes a recompilation. Beyond `recompile_limit` it runs eagerly, without an error. Write `make(compiled, weights)` in
# `serving.py`:
#
# - It is called once, and returns a function `answer(x, temperature)`, which is called with each request and
#   returns float32 `[rows, width]`: the result of `served.pooled` if all positions of `x` are real.
# - `x` is float32 `[rows, length, width]`; rows and length vary, 1 is among them, and sometimes two sizes are equal. Its memory order may
#   differ from the order of its axes. `temperature` is a Python number, sometimes an int.
# - `compiled(function, …)` is `torch.compile` with a backend of the judge's, which records. It takes `dynamic=` and the other options. All
#   positions of each request must go through functions compiled with it. Outside of them you may move elements and change each by itself
#   (pad, slice, scale), but compute nothing else with the weights or with the returned values. Use PyTorch's operations and tensors: no
#   `.numpy()`, and no numbers taken from `x`.
#
# The judge serves unseen streams of requests: at most 2 graphs, and at most 1.3 times the requested positions. Your code runs on **other
# values**; PyTorch's operators and your graphs are then repeated on the hidden requests, with hidden weights, in a process without your
# code.
#
# *Predict first*: how many graphs does `compiled(served.pooled)` alone produce for the stream in the cell?
#
# ### HINTS transformer_compilation.few_graphs

# %%
import served
import serving

graphs = []


def counting(function, **options):
    """torch.compile, with a backend that counts."""
    options["backend"] = lambda graph, inputs: graphs.append(graph) or graph.forward
    return torch.compile(function, **options)


torch._dynamo.reset()
service = serving.make(counting, {"up": torch.randn(16, 16), "down": torch.randn(16)})
with torch.no_grad():
    for rows, length, temperature in (
        (6, 6, 0.7),
        (3, 50, 1),
        (1, 20, 0.5),
        (4, 1, 2),
        (1, 1, 1.0),
    ):
        service(torch.randn(rows, length, 16), temperature)
        print(f"{rows} rows of {length}: {len(graphs)} graphs so far")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "few_graphs", "locked": true, "points": 12, "solution": false, "task": false}
check("transformer_compilation.few_graphs")

# %% [markdown]
# ## 11. Quantize keys to fp8
#
# ### CARD transformer_compilation.eight_bits
#
# Decoding reads the KV cache in each step: half the bytes take half the time if memory is the only limit. `to_fp8(path)` in `fp8.py` reads
# a list of rows of numbers from a JSON file and returns a dict of
#
# - `codes`: as many rows of whole numbers from 0 to 255, bytes in the format e4m3 (PyTorch's `float8_e4m3fn`: a sign, four bits of exponent, three of fraction; 448 is the largest number,
#   and there is no infinity, only NaN);
# - `scales`: a positive float for each row. The value of a code, times the scale of its row, must equal the number.
#
# Each number may be off by half a unit of its last bit, and near zero by half of the finest step that exists when the largest number of the
# row becomes 28. *Predict first*: which outlier ruins a row of int8 with one scale, and which one a row of e4m3?
#
# ### HINTS transformer_compilation.eight_bits

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "eight_bits", "locked": true, "points": 8, "solution": false, "task": false}
check("transformer_compilation.eight_bits")

# %% [markdown]
# ## 12. A decoding step for CUDA graphs
#
# ### CARD transformer_compilation.decode_step
#
# Decoding computes little and launches much: a step of `decoder.py` is about a hundred kernels of microseconds. A CUDA graph records the
# launches of one step and replays them with one call. A replay uses the same memory, the same sizes, and the same Python numbers as the
# recording, so the step has to be written for it. `recording.py` does on a CPU what a CUDA graph does: it records each operator below
# autograd and repeats the list, without your Python.
#
# Write three functions in `decoding.py`:
#
# - `prepare(weights, cache)` is called once; its return value is passed to each step. `weights` are those of `decoder.shapes`, `cache` is
#   float32 `[layers, rows, 2, heads, longest, size]`: keys at 0, values at 1.
# - `step(ready, token, place, cache, out)`: `token` and `place` are int64 `[rows]`. Row r's token is at position `place[r]`, so the keys
#   and values before it are at lower positions, **and the positions after it still hold the data of earlier requests**. Write the new ones
#   to their position, and fill `out`, float32 `[rows, words]`, with the scores of the next word.
# - `generate(seed, first, out)`: with the weights of `decoder.load(seed)` fill `out`, int64 `[rows, n]`, with the best words after `first`,
#   int64 `[rows]`, one after the other. Where `decoder.DEVICE` is a GPU, record a CUDA graph; you may keep it for later calls of the same
#   seed and rows, with other lengths.
#
# The judge records your `prepare` and `step` with the sizes of a hidden problem and **other values**, and repeats PyTorch's operators on
# that problem in a process without your code. Rows have prompts of different lengths. Each operator counts as a kernel, views do not.
# *Predict first*: how many kernels does a layer have if you write one operation per line, and how few can it have?
#
# ### HINTS transformer_compilation.decode_step

# %%
import decoder
import decoding
import recording

weights, longest = decoder.load(1), 32
cache = torch.zeros(decoder.LAYERS, 3, 2, decoder.HEADS, longest, decoder.WIDTH // decoder.HEADS)
token, place = torch.zeros(3, dtype=torch.int64), torch.zeros(3, dtype=torch.int64)
scores = torch.zeros(3, decoder.VOCABULARY)
recorded = recording.record(
    decoding.prepare, decoding.step, weights, token, place, cache, scores
)  # fmt: skip
print(recorded.launches, "kernels a step:")
print(", ".join(op[0].split(".")[1] for op in recorded.each if recording.launches(op[0])))
words = torch.randint(decoder.VOCABULARY, (3, 10))
truth = decoder.scores(weights, decoder.HEADS, words)
for number in range(10):
    token.copy_(words[:, number])
    place.fill_(number)
    recorded.replay()
    print(f"token {number}: largest error {(scores - truth[:, number]).abs().max():.1e}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "decode_step", "locked": true, "points": 26, "solution": false, "task": false}
check("transformer_compilation.decode_step")

# %% [markdown]
# Are the launches the problem? The cell times a step as written and as recorded, and one product as large as all products of the step
# together. *Predict first* which share of a step is computing.

# %%
flops_a_row = 2 * (decoder.LAYERS * 12 * decoder.WIDTH**2 + decoder.WIDTH * decoder.VOCABULARY)
wide = torch.randn(decoder.WIDTH, flops_a_row // (2 * decoder.WIDTH))
narrow = torch.randn(3, decoder.WIDTH)
ready = decoding.prepare(weights, cache)
place.fill_(8)
with torch.no_grad():
    for name, work in (
        ("the step", lambda: decoding.step(ready, token, place, cache, scores)),
        ("its recording, repeated from Python", recorded.replay),
        ("one product as large as all of its products", lambda: narrow @ wide),
    ):
        print(f"{name}: {1e6 * fastest(work, 50):.0f} µs")

# %% [markdown]
# ## 13. Explain the plan
#
# ### CARD transformer_compilation.explain
#
# A team serves a decoder of 32 layers, 32 heads of 128, 8 KV heads, for prompts of 100 to 4000 tokens, and asks you for a plan. Write 300
# to 600 words:
#
# 1. what limits prefill and decoding, with bytes and times that you have computed;
# 2. which rewrites you would make, what each saves, and one measurement of your own with its conditions;
# 3. which programs you compile, when, for which sizes, and from how many calls on this pays off;
# 4. what you have not measured, and what would change the plan.
#
# A person grades this answer.
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
# are no scores worth tiling; a split over keys is for filling the GPU. With some ten launches a layer of 3 µs each, 32 layers cost about 1 ms of launches: CUDA graphs, and fixed shapes for them.
#
# Rewrites: tiled attention in prefill; q, k and v in one product; bias, residual and norm fused into one kernel each. On this machine's CPU my tiled attention took 23 to 28 ms of CPU time, and one operation a line 53 to 91 (two heads of 1536, causal, with a cap, one thread, beside other work). My account of
# bytes leaves out the exponentials, which both have to compute.
#
# Programs: prefill with a free length, compiled ahead of time; programs for a single size only for lengths that are common: it pays after compile time / (gain a call) calls, here 1.2 s / 15 ms = 80 calls. Decoding: one program a batch size of 1, 2, 4, 8, recorded.
#
# Not measured: anything on a GPU. If prompts were all shorter than 200 tokens I would leave attention alone, and look at launches first.
# ### END SOLUTION
