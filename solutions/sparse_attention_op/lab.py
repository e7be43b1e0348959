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
# # Deploy a custom sparse attention
#
# A research team has a sparse attention that attends to about a tenth of the sequence, chosen by content. You have
# one page of its paper, `paper.md`. No ONNX opset has such an operator, and no runtime supports it. By the end it runs in each
# target runtime, and every implementation has been compared with the same float64 reference.
#
# How it works here:
#
# - You write functions in files next to this notebook. Open them in JupyterLab's editor, save, and run the cell with `check(…)` here.
#   The judge draws new patterns, lengths and thresholds each time, and compares with a reference of its own.
# - No GPU is needed: Triton's kernels run in its interpreter. What only a GPU can show says `not_measured`, and its points are pending.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `paper.md` | the specification: read it first, and twice |
# | `reference.py` | the paper in plain PyTorch: task 1 |
# | `sparse_op.py`, `operator_trials.py` | the operator, and trials of it: task 2 |
# | `sparse_triton.py` | the kernel: task 3 |
# | `export_ops.py` | export to ONNX, in three ways: tasks 4 to 6 |
# | `shape_inference.py` | shape inference for a node that ONNX does not know: task 7 |
# | `fallback.py` | which nodes a runtime supports, and the fallback for the others: task 9 |
# | `sparse_attention.cpp`, `cpu_op.py` | the kernel in C++, and its build: task 10 |
# | `custom_op.py` | custom nodes run in ONNX Runtime: task 11 |
# | `ort_op.cpp`, `ort_custom_op.h`, `host_attention.h` | a C++ custom-operator library for ONNX Runtime: task 12 |
# | `attention_plugin.cpp`, `launch_attention.h`, `tensorrt_stub/` | a plugin for TensorRT, and a stub of its interface: task 13 |
# | `attention_plugin.py`, `plugin_launch.py` | the same in Python: task 14 |
# | `legacy.py`, `silent.py` | the team's own code, and exports that are silently wrong: task 8 |

# %%
import logging
import os
import tempfile
import warnings
from pathlib import Path

import torch

if not torch.cuda.is_available():
    os.environ["TRITON_INTERPRET"] = "1"  # before triton is imported

import onnx
import onnxruntime
from hotloop import check

warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
logging.getLogger("torch.onnx").setLevel(logging.ERROR)
torch.set_num_threads(1)

folder = Path(tempfile.mkdtemp())
numbers = torch.Generator().manual_seed(1)


def text_like(n, block=16, heads=2, depth=32):
    """q, k and v whose tokens resemble those of their block, and a threshold for each head."""
    blocks = -(-n // block)
    centers = torch.randn(2, 1, heads, blocks, depth, generator=numbers)
    q, k = centers.repeat_interleave(block, -2)[..., :n, :] + 0.5 * torch.randn(
        2, 1, heads, n, depth, generator=numbers
    )
    return q, k, torch.randn(1, heads, n, depth, generator=numbers), torch.full((heads,), 1.0)


# %% [markdown]
# ## 1. From the paper to a reference
#
# ### CARD sparse_attention_op.reference
#
# Write in `reference.py`:
#
# - `kept(q, k, threshold, block, causal)`: bool `[B, H, M, M]`, which key blocks each query block keeps.
# - `attention(q, k, v, threshold, block, causal)`: the output, `[B, H, N, D]` in q's type.
#
# Write it slow and clear: everything later is compared with it. Add nothing that the paper does not say. Tensors may be on a GPU; create
# new tensors on the same device.
#
# ### HINTS sparse_attention_op.reference

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "reference", "locked": true, "points": 15, "solution": false, "task": false}
check("sparse_attention_op.reference")

# %% [markdown]
# Print which blocks it keeps. Which token attends to nothing?

# %%
import reference

q, k, v, threshold = text_like(150)
kept = reference.kept(q, k, threshold, 16, True)
for head in range(2):
    print(f"head {head} keeps {kept[0, head].float().mean():.0%}; a row is a query block")
    print(*("".join("■" if here else "·" for here in row) for row in kept[0, head]), sep="\n")
print("query blocks without any:", (~kept.any(-1)).sum(-1).tolist())

# %% [markdown]
# ## 2. A custom PyTorch operator
#
# ### CARD sparse_attention_op.operator
#
# A function made of tensor operations is transparent: the compiler and the exporter both trace through it and see only its parts. A custom
# operator stays one node. Define in `sparse_op.py` `sparse_lab::attention(q, k, v, threshold, block, causal)` with `torch.library`:
#
# - its fake kernel returns shape, dtype and strides without computing;
# - its gradient is registered, and can itself be traced;
# - it does what its schema states: contiguous output, no input modified.
#
# See `operator_trials.py` for what each check calls. Run `torch.library.opcheck` first, also in 16 bits and on transposed heads: `exported`
# fails where opcheck does. On a GPU, output, gradient and compiled gradient are checked again with tensors there.
#
# ### HINTS sparse_attention_op.operator

# %%
import sparse_op

samples = (*(x.requires_grad_() for x in (q, k, v)), threshold, 16, True)
try:
    print(torch.library.opcheck(torch.ops.sparse_lab.attention.default, samples))
except Exception as refusal:
    print(type(refusal).__name__, str(refusal)[:600], sep="\n")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator", "locked": true, "points": 27, "solution": false, "task": false}
check("sparse_attention_op.operator")

# %% [markdown]
# ## 3. A block-sparse Triton kernel
#
# ### CARD sparse_attention_op.kernel
#
# A mask over a dense product saves nothing: it loads all keys, computes all scores and throws most of them away. Write in
# `sparse_triton.py` `attend(q, k, v, counts, columns, block, causal, out)`, which touches listed blocks only. `lists(kept)` makes the
# lists; entries after a row's `counts` are not valid, and the judge puts arbitrary numbers there.
#
# `N` need not be a multiple of `block`, which is 16, 32 or 64. The judge counts bytes. 1.00 means: queries, listed block indices, keys and
# values of listed blocks, and the output, once each.
#
# On a GPU `attend_kept` is timed, lists included, at a tenth of the blocks: against dense attention without a mask, and against
# FlexAttention with the same blocks. In the causal case dense attention skips the upper half as well, and the lists hold no block that is
# ahead of the query.
#
# ### HINTS sparse_attention_op.kernel

# %%
import sparse_triton

q, k, v, threshold = text_like(150)
counts, columns = sparse_triton.lists(reference.kept(q, k, threshold, 16, False))
got = torch.empty_like(q)
try:
    sparse_triton.attend(q, k, v, counts, columns, 16, False, got)
    want = reference.attention(q, k, v, threshold, 16, False)
    print("largest difference:", float((got - want).abs().max()))
except NotImplementedError as todo:
    print("still to write:", todo)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "kernel", "locked": true, "points": 42, "solution": false, "task": false}
check("sparse_attention_op.kernel")

# %% [markdown]
# ## 4. Decompose into standard ONNX operators
#
# ### CARD sparse_attention_op.decomposition
#
# Any runtime that supports an opset can run a file that uses only its operators. Write in `export_ops.py` `decomposed(opset, heads, depth,
# block, causal, target)`: `Layer(block, causal)` as an ONNX file in standard ONNX operators. Inputs `q`, `k`, `v` `[batch, heads, length,
# depth]` and `threshold` `[heads]`, output `out`, all float32; batch and length free.
#
# The exporter does not know your operator. Tell it through `custom_translation_table`.
#
# ### HINTS sparse_attention_op.decomposition

# %%
import export_ops

given = export_ops.example(2, 32, 16)
try:
    torch.onnx.export(export_ops.Layer(16, False), given, dynamo=True, verbose=False)
except Exception as refusal:
    print(type(refusal).__name__, str(refusal.__cause__ or refusal)[:300], sep="\n")

# %%
path = str(folder / "decomposed.onnx")
try:
    export_ops.decomposed(18, 2, 32, 16, False, path)
    print(sorted({node.op_type for node in onnx.load(path).graph.node}))
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for n in (1, 16, 150):
        q, k, v, threshold = text_like(n)
        (got,) = session.run(
            None,
            {
                name: x.numpy()
                for name, x in zip(export_ops.INPUTS, (q, k, v, threshold), strict=True)
            },
        )
        want = reference.attention(q, k, v, threshold, 16, False)
        print(n, "tokens: largest difference", float((torch.from_numpy(got) - want).abs().max()))
except NotImplementedError as todo:
    print("still to write:", todo)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "decomposition", "locked": true, "points": 13, "solution": false, "task": false}
check("sparse_attention_op.decomposition")

# %% [markdown]
# ## 5. An ONNX function
#
# ### CARD sparse_attention_op.function
#
# A decomposition of sixty nodes hides which operation they compute. A runtime that has a kernel for it would have to recognize the pattern.
# An ONNX *function* keeps both: one named node, and in the same file its definition in standard operators, for runtimes without a kernel.
# Write in `export_ops.py` `as_function(heads, depth, block, causal, target)`: one node `SparseAttention` of domain `hotloop.lab`, version
# 1, inputs `q, k, v, threshold`, attributes `block` and `causal`, and the function that defines it. Opset 18 or later. The judge changes
# the attributes of your node; the function must use the new values.
#
# ### HINTS sparse_attention_op.function

# %%
path = str(folder / "function.onnx")
try:
    export_ops.as_function(2, 32, 16, False, path)
    model = onnx.load(path)
    print([(node.domain, node.op_type) for node in model.graph.node])
    print([(f.domain, f.name, list(f.attribute), len(f.node)) for f in model.functions])
    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    print("ONNX Runtime takes it, and has no such operator")
except NotImplementedError as todo:
    print("still to write:", todo)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "function", "locked": true, "points": 10, "solution": false, "task": false}
check("sparse_attention_op.function")

# %% [markdown]
# ## 6. A custom ONNX node
#
# ### CARD sparse_attention_op.node
#
# Some readers do not accept functions: a vendor's compiler maps the node to a kernel and refuses the rest. Write `as_node(heads, depth,
# block, causal, target)`: the same node, without a function. No runtime can infer anything about it, so the file has to state it: the
# domain's version, the attributes, the dtype and shape of the output, with a name for the batch and one for the length. Opset 18 or later,
# and a format (IR version) that ONNX Runtime reads.
#
# ### HINTS sparse_attention_op.node

# %%
path = str(folder / "node.onnx")
try:
    export_ops.as_node(2, 32, 16, False, path)
    print(onnx.printer.to_text(onnx.load(path).graph))
    onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
except NotImplementedError as todo:
    print("still to write:", todo)
except Exception as refusal:
    print(str(refusal)[:300])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "node", "locked": true, "points": 7, "solution": false, "task": false}
check("sparse_attention_op.node")

# %% [markdown]
# ## 7. Shape inference through custom nodes
#
# ### CARD sparse_attention_op.shape_inference
#
# Memory planning, fusion and a TensorRT build all need shapes, and `onnx.shape_inference` stops at a node that it does not know. Write in
# `shape_inference.py`:
#
# - `infer(path, target)`: write the model at `path` with the shape of every tensor that a node produces. Named dimensions keep their names.
# - `problems(path)`: the names of the `SparseAttention` nodes whose inputs violate the paper's shapes.
#
# The models have several layers, with standard nodes before, between and after them.
#
# ### HINTS sparse_attention_op.shape_inference

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "shape_inference", "locked": true, "points": 7, "solution": false, "task": false}
check("sparse_attention_op.shape_inference")

# %% [markdown]
# ## 8. Find silently wrong exports
#
# Before you joined, the team exported its own `legacy.py`, an `autograd.Function` that picks the blocks on the host. Predict: what does the
# file contain where the code has `torch.tensor(….tolist())`?

# %%
import legacy

layer, trial = legacy.LegacyLayer(16, False), text_like(40)
path = str(folder / "legacy.onnx")
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    torch.onnx.export(layer, trial, path, dynamo=False, input_names=list(export_ops.INPUTS))
print(*sorted({str(w.message).splitlines()[0][:110] for w in said}), sep="\n")
session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
for label, given in (("the example", trial), ("another one", text_like(40))):
    feeds = dict(zip(export_ops.INPUTS, (x.numpy() for x in given), strict=True))
    wanted = {end.name: feeds[end.name] for end in session.get_inputs()}
    (got,) = session.run(None, wanted)
    print(
        f"{label}: largest difference {float((torch.from_numpy(got) - layer(*given)).abs().max()):.1e}"
    )
print("what the file still reads:", [end.name for end in session.get_inputs()])

# %% [markdown]
# ### CARD sparse_attention_op.silent
#
# Write in `silent.py`:
#
# - `fault(path, block, causal)`: what is wrong with the file at `path`. It has the inputs `q, k, v, threshold` and the output `out`, and
#   fixed sizes: it was traced with one example. Names carry no information.
#
# | name | what was lost |
# | --- | --- |
# | `frozen` | the kept blocks are those of the example |
# | `threshold` | the threshold is the example's |
# | `keys` | the keys are not read; the queries are used instead |
# | `padding` | the mean of the last block counts its padding |
# | `causal` | causal for blocks, not for the tokens in them |
# | `average` | a token that attends to nothing gets the average of all |
# | `agrees` | nothing |
#
# - `mended(heads, depth, block, causal, target)`: `legacy.LegacyLayer(block, causal)` as an ONNX file like that of task 4, in any opset
#   from 18 on, right for every input.
#
# ### HINTS sparse_attention_op.silent

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "silent", "locked": true, "points": 13, "solution": false, "task": false}
check("sparse_attention_op.silent")

# %% [markdown]
# ## 9. Partition for a runtime
#
# ### CARD sparse_attention_op.fallback
#
# The vendor's kernel supports blocks of 16 and 32, not causal. Another runtime has no kernel, and an opset that is two years old. One model
# has to run on both. Write in `fallback.py`:
#
# - `negotiate(offer_path)`: the highest opset that exporter and runtime share, the oldest file format (IR version) that it needs, and the
#   form. The form is the node where the runtime has a kernel for it, else a function where the runtime reads functions, else a
#   decomposition. The body of a function or a decomposition needs opset 18. `None` where nothing fits.
# - `partition(path, runtime_path, target)`: the model has several nodes and the function that defines them. Nodes for which the runtime has
#   a kernel stay, bare; the others are replaced by their body. No functions are left, and the domain `hotloop.lab` is imported only if the
#   model still has a node of it.
#
# ### HINTS sparse_attention_op.fallback

# %%
print(
    {
        n: onnx.helper.find_min_ir_version_for([onnx.helper.make_opsetid("", n)])
        for n in range(15, 24)
    }
)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fallback", "locked": true, "points": 11, "solution": false, "task": false}
check("sparse_attention_op.fallback")

# %% [markdown]
# ## 10. A CPU kernel in C++
#
# ### CARD sparse_attention_op.cpu_kernel
#
# PyTorch's operator, a custom operator of ONNX Runtime and a plugin each have their own types. All of them can call one function that uses
# none of these types. Write it in `sparse_attention.cpp`, plain C++17. `cpu_op.py` builds it with g++ and calls it.
#
# In one check the keys and values of blocks that are not listed are NaN. A kernel that computes with them and discards the result is
# detected: 0 · NaN is NaN. In the last check these blocks are unreadable: your function runs on memory where the judge sees every access to
# a page of an unlisted block. It runs there without `cpu_op.py`, and must first be right on new cases of all kinds, so results computed in
# Python do not count.
#
# ### HINTS sparse_attention_op.cpu_kernel

# %%
import cpu_op

q, k, v, threshold = text_like(150)
counts, columns = sparse_triton.lists(reference.kept(q, k, threshold, 16, False))
got = torch.zeros_like(q)
cpu_op.attend(q, k, v, counts, columns, 16, False, got)
want = reference.attention(q, k, v, threshold, 16, False)
print("largest difference:", float((got - want).abs().max()))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cpu_kernel", "locked": true, "points": 13, "solution": false, "task": false}
check("sparse_attention_op.cpu_kernel")

# %% [markdown]
# ## 11. A custom operator in Python for ONNX Runtime
#
# ### CARD sparse_attention_op.custom_op
#
# ONNX Runtime refused your bare node in task 6. It accepts the node once an operator with that domain and name is registered: in C++ or,
# for a first trial, in Python with `onnxruntime_extensions`. Write in `custom_op.py` `run(path, feeds_path, target)`: run the model at
# `path`, with several bare nodes of different attributes, on the arrays of the `.npz` file at `feeds_path`,
# and write its outputs to `target`, an `.npz` file too.
#
# ### HINTS sparse_attention_op.custom_op

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "custom_op", "locked": true, "points": 6, "solution": false, "task": false}
check("sparse_attention_op.custom_op")

# %% [markdown]
# ## 12. A custom operator library for ONNX Runtime
#
# ### CARD sparse_attention_op.native_op
#
# Task 11 runs Python for each node in each run. A deployed product has no Python. Fill in `ort_op.cpp`: a library that ONNX Runtime loads
# with `register_custom_ops_library`. Its one exported function, `RegisterCustomOps`, registers the operator. `host_attention.h` does the
# computation; you write everything between it and the runtime.
#
# ONNX Runtime's wheels do not contain its headers. `ort_custom_op.h` includes them where they are installed, and otherwise declares the few
# functions that you need: their positions in the runtime's API table are fixed. Unlike the next task's plugin, this library runs in the
# real runtime.
#
# ### HINTS sparse_attention_op.native_op

# %%
import subprocess

command = [
    "g++",
    "-std=c++17",
    "-O2",
    "-fPIC",
    "-shared",
    "ort_op.cpp",
    "-o",
    str(folder / "ops.so"),
]
done = subprocess.run(command, capture_output=True, text=True, check=False)
print(done.stderr[:2000] or "it compiles")
options = onnxruntime.SessionOptions()
try:
    options.register_custom_ops_library(str(folder / "ops.so"))
    print("ONNX Runtime takes it")
except Exception as refusal:
    print(str(refusal)[:300])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "native_op", "locked": true, "points": 9, "solution": false, "task": false}
check("sparse_attention_op.native_op")

# %% [markdown]
# ## 13. A TensorRT plugin in C++
#
# ### CARD sparse_attention_op.plugin
#
# TensorRT's parser finds your bare node and looks for a plugin of that name. Fill in `attention_plugin.cpp`: an `IPluginV3` with its three
# capabilities and its creator. Inputs are q, k, v, threshold; q, k, v and the output are all float32 or all float16, threshold is float32,
# everything linear. `launch_attention.h` declares the function to call.
#
# There is no TensorRT here. So your source is built with a *stub* of its interface, `tensorrt_stub/`, which has the documented names and signatures and nothing behind them, and the judge calls it as TensorRT
# would, with memory on the host: sizes that are unknown at first, types in every combination, fields whose memory is gone after `createPlugin`, an engine that is stored and loaded, two contexts in turns. It
# shows that your answers are right, not that an engine runs. The last check compiles it with the real headers where they are installed, and says `not_measured` elsewhere.
#
# ### HINTS sparse_attention_op.plugin

# %%
command = ["g++", "-std=c++17", "-fsyntax-only", "-Itensorrt_stub", "-I.", "attention_plugin.cpp"]
done = subprocess.run(command, capture_output=True, text=True, check=False)
print(done.stderr[:2000] or "it compiles")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "plugin", "locked": true, "points": 15, "solution": false, "task": false}
check("sparse_attention_op.plugin")

# %% [markdown]
# ## 14. A TensorRT plugin in Python
#
# ### CARD sparse_attention_op.plugin_python
#
# TensorRT takes plugins in Python too: slower to call, and bound to a process that has your module, but there before lunch. Fill in `attention_plugin.py`; the questions are those of the last task, in Python's names, and
# `plugin_launch.py` has what to call. `tensorrt_stub/tensorrt.py` is a stub again, ours, and so is what it shows.
#
# ### HINTS sparse_attention_op.plugin_python

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "plugin_python", "locked": true, "points": 7, "solution": false, "task": false}
check("sparse_attention_op.plugin_python")

# %% [markdown]
# ## 15. Write the report
#
# ### CARD sparse_attention_op.report
#
# One page for the teams that will integrate it into their products:
#
# 1. How you know that every form matches the paper: decisions and values, on which edges.
# 2. One row for each form (reference, operator, kernel, three files, C++): where it runs, and what it costs at a seventh of the blocks.
# 3. What was not measured, why, and what you would measure first with a GPU.
# 4. Which form you would ship to which runtime, and what a change of the paper would affect.
#
# ### HINTS sparse_attention_op.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION sparse_attention_op.report
# ### STUB Write your report here.
# **How I know.** Patterns were drawn with gates that keep a distance from their threshold, so that no rounding decides. On these the kept blocks of reference and operator are exactly
# those of a computation in float64, and all outputs agree with it within what float32 explains. Edges: one token, less than a block, a last block of one token, heads that keep everything
# or nothing, causal within a block, scores whose exponentials would overflow, float16.
#
# | form | who can run it | at a seventh of the blocks |
# | --- | --- | --- |
# | reference | PyTorch | dense |
# | operator | PyTorch, its compiler and its exporters | as what is inside it |
# | Triton kernel | NVIDIA GPUs, and the interpreter | bytes follow the density: 1.00 times the fewest |
# | decomposition | every runtime with opset 18 | dense: all scores are computed |
# | function | who reads functions; who has a kernel takes the node | as its reader decides |
# | bare node | who has a kernel | as the kernel |
# | C++ | applications that register it | loads follow the density: 1.00 times each query's own |
# | library for ONNX Runtime | ONNX Runtime on a CPU, without Python | as the function behind it: dense here |
# | plugin | TensorRT, once kernels implement it | as the kernel; not measured |
#
# **Not measured.** Any time on a GPU, since there was none: the kernel compiles for sm_80 and sm_90, and that says nothing of its speed. First I would compare it with dense attention and
# with FlexAttention at 5, 12 and 50 % of the blocks. The TensorRT plugins answer rightly to a stub of the interface; no engine was built with them.
#
# **To whom.** The function to everybody whose runtime I do not know, cut for those with a kernel for some of the nodes. If the paper's gate changes: reference, body and version of the domain
# change, files of version 1 go on meaning what they mean; kernel and C++ stay, as they see lists only. The risk is a second implementation of the gate that decides the last block otherwise; the test
# with a last block of one token would find it.
# ### END SOLUTION
