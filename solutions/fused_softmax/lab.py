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
# # Fused softmax
#
# Softmax takes five elementwise or reduction steps. Run as five operations, each step reads the whole
# tensor from memory and writes it back; fused into one kernel, they read it once and write it once.
# In this notebook you build that kernel in PyTorch, in OpenAI Triton, in CUDA C++ and as custom operators, and
# explain why it is fast.
#
# How it works here:
#
# - Write your answer where a cell says `### TASK …`, then run the cell with `check(…)` below it. A
#   separate judge process calls your function on hidden inputs and reports what it found.
# - Kernels are written in files next to this notebook. Open them in JupyterLab's editor (double-click
#   in the file list), save, and run the check here.
# - No GPU is needed to start: Triton kernels run in Triton's interpreter, and CUDA C++ in Hotloop's
#   simulator. What only a GPU can show says `not_measured`, and its points are pending.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `softmax_triton.py` | kernels in Triton: tasks 3 and 4 |
# | `softmax.cu` | kernels in CUDA C++: tasks 5 to 7 |
# | `softmax_op.cu`, `softmax_op.py` | an operator for PyTorch around a CUDA kernel: tasks 8 to 10 |
# | `softmax_op_triton.py` | the same around a Triton kernel: task 11 |
# | `softmax_ext.cpp`, `softmax_ext.py` | the same as a C++ extension in an `autograd.Function`: task 12 |

# %%
import torch
from hotloop import check

# %% [markdown]
# # Part 1: A kernel in PyTorch and Triton
#
# About 3½ hours.

# %% [markdown]
# ## 1. The online recurrence
#
# ### CARD fused_softmax.online_pass
#
# A softmax needs each row's maximum and the sum of its exponentials. You could make one pass for
# the maximum and a second for the sum. Do both in **one pass over blocks of columns**: keep a running
# maximum and a running sum, and rescale the sum when the maximum increases. A second pass then writes
# the results.
#
# Write `online_softmax(x, block=256)`:
#
# - `x` has one to three dimensions; the softmax goes over the last one. Its rows need not be contiguous.
# - Return a new tensor with the shape and dtype of `x` (float32, float16 or bfloat16). Compute in
#   float32 inside: a sum of many float16 numbers loses its small terms.
# - `x` may hold large numbers (±60000) and `-inf`. **A row of nothing but `-inf` gives zeros**, not NaN.
# - Do not modify `x`.
# - Use PyTorch's operations, uncompiled, and compute with tensors only: no `.numpy()`, `.tolist()` or `.item()`. You may
#   branch on a comparison.
#
# The check repeats your operations on other numbers, without your code, and follows each. In rows longer than 65,536 columns, the reductions (`amax`, `sum`, `softmax`,
# everything that is not element by element) may read each element of a row **once**, and at most **4096 columns
# of a row in one operation**. Reducing the same block twice in a row, for its maximum and then for its sum, counts
# as one read. Element-by-element operations, such as those of the second pass, may be as wide as you like.
#
# Before you write it: how often does your loop read each element of `x`? How often would
# max, then sum, then divide?
#
# ### HINTS fused_softmax.online_pass


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "online_pass_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION fused_softmax.online_pass
### STUB def online_softmax(x, block=256):
### STUB     raise NotImplementedError("fused_softmax.online_pass")
def online_softmax(x, block=256):
    maximum = torch.full(x.shape[:-1], -torch.inf, device=x.device)
    total = torch.zeros_like(maximum)
    shift = torch.zeros_like(maximum)
    for part in x.split(block, dim=-1):
        values = part.float()
        new_maximum = torch.maximum(maximum, values.amax(dim=-1))
        # While a row has seen nothing but -inf, subtract 0: -inf - (-inf) would be NaN.
        shift = torch.where(new_maximum == -torch.inf, 0.0, new_maximum)
        total = total * torch.exp(maximum - shift)
        total += torch.exp(values - shift[..., None]).sum(dim=-1)
        maximum = new_maximum
    total = torch.where(total == 0, 1.0, total)
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    for part, result in zip(x.split(block, dim=-1), out.split(block, dim=-1), strict=True):
        result.copy_(torch.exp(part.float() - shift[..., None]) / total[..., None])
    return out


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "online_pass", "locked": true, "points": 10, "solution": false, "task": false}
check("fused_softmax.online_pass")

# %% [markdown]
# ## 2. Fuse it with torch.compile
#
# ### CARD fused_softmax.compiled_chain
#
# Here is softmax as five operations, the way it is often written first. In eager PyTorch each line is
# a kernel of its own: it reads its inputs from memory and writes its result back.
#
# | line | reads | writes |
# | --- | --- | --- |
# | `m = x.amax(-1, keepdim=True)` | x | (a row's worth) |
# | `s = x - m` | x | s |
# | `e = torch.exp(s)` | s | e |
# | `d = e.sum(-1, keepdim=True)` | e | (a row's worth) |
# | `out = e / d` | e | out |
#
# Count: five reads and three writes of the whole tensor. With *s* bytes an element that is 8*s*;
# the fewest possible is 2*s*, one read and one write.
#
# Write `softmax(x, out)`, which fills `out` with the softmax of each row of `x`, so that
# `torch.compile` turns the whole chain into one fused kernel:
#
# - `x` and `out` are float32 and `[rows, columns]`, with 4096 columns or more. Every row has at least
#   one finite element; others may be `-inf`.
# - Nothing is returned: write your result into `out`. Think about which code copies it there.
# - The check compares values and times. It does not look at how the result is computed: `torch.softmax`, which is one
#   fused kernel already, would be right as well. Here you let the compiler fuse operations that have no library kernel.
# - The judge times it against the five lines above, each in its own process, on the CPU, and on a GPU
#   if there is one. Compilation is not timed.
#
# Predict before you check: how many times faster could it get if only bytes moved mattered? Write your
# number down, then compare it with the measured one, and think about what else costs time on a CPU.
#
# ### HINTS fused_softmax.compiled_chain


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "chain_given", "locked": true, "solution": false, "task": false}
def softmax_chain(x):
    m = x.amax(dim=-1, keepdim=True)
    s = x - m
    e = torch.exp(s)
    d = e.sum(dim=-1, keepdim=True)
    return e / d


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "compiled_chain_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION fused_softmax.compiled_chain
### STUB def softmax(x, out):
### STUB     raise NotImplementedError("fused_softmax.compiled_chain")
# The copy into `out` is inside the compiled region: the fused kernel writes there directly. Outside,
# it would read and write the whole result once more.
@torch.compile
def _chain_into(x, out):
    out.copy_(softmax_chain(x))


def softmax(x, out):
    _chain_into(x, out)


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "compiled_chain", "locked": true, "points": 13, "solution": false, "task": false}
check("fused_softmax.compiled_chain")

# %% [markdown]
# ## 3. Softmax in Triton
#
# ### CARD fused_softmax.triton_forward
#
# Write `softmax(x, out)` in `softmax_triton.py`, with kernels in OpenAI Triton:
#
# - `x` and `out` are `[rows, columns]`, float32, float16 or bfloat16, of the same dtype. A row's elements
#   are contiguous, but **the row stride may be larger than the row length**: use `stride(0)` of both.
# - Any number of columns: 1, odd, not a power of two, and more than any block can hold (Triton allows
#   1,048,576 elements a block).
# - Rows of up to 8192 elements fit in one block: load such a row once and store it once. Read a longer
#   row twice and write it once, with the recurrence of task 1.
# - Compute in float32. **A row of nothing but `-inf` gives zeros.**
#
# The judge records which kernels each call launches, and runs these kernels again without the rest of your
# file, on new values of the same shapes: **they alone must compute the result**, for every kind of input. What
# the launcher computes in PyTorch does not count. In some of these runs it counts the bytes that the kernels
# load and store. It compiles them for sm_80 and sm_90 without needing such a GPU.
#
# To try it yourself, in a new cell:
#
# ```python
# import importlib, os
# if not torch.cuda.is_available():
#     os.environ["TRITON_INTERPRET"] = "1"  # must be set before triton is imported
# import softmax_triton
# importlib.reload(softmax_triton)          # after every edit of the file
# x = torch.randn(4, 1000)
# out = torch.empty_like(x)
# softmax_triton.softmax(x, out)
# print((out - torch.softmax(x, -1)).abs().max())
# ```
#
# ### HINTS fused_softmax.triton_forward

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "triton_forward", "locked": true, "points": 22, "solution": false, "task": false}
check("fused_softmax.triton_forward")

# %% [markdown]
# ## 4. Scale, mask and softmax in one Triton kernel
#
# ### CARD fused_softmax.triton_masked
#
# Attention scales its scores, masks some of them out, and takes the softmax. Write
# `masked_softmax(x, mask, scale, out)` in `softmax_triton.py`, so that all of it is one kernel:
#
# - `out` = softmax of `scale · x` over the elements of the row where `mask` is true; **0 where it is false**.
# - `mask` has the shape of `x`, is bool or uint8, and 1 means *keep*. It has its own row stride.
# - `scale` is a Python float of either sign, or 0. `x` is finite here; `-inf` comes from the mask alone.
# - **A row that is masked out altogether gives zeros.**
# - Shapes, dtypes and strides are as in task 3.
#
# ### HINTS fused_softmax.triton_masked

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "triton_masked", "locked": true, "points": 22, "solution": false, "task": false}
check("fused_softmax.triton_masked")

# %% [markdown]
# # Part 2: CUDA C++ and operators
#
# About 11 hours.

# %% [markdown]
# ## 5. CUDA C++: one thread per row
#
# ### CARD fused_softmax.cuda_naive
#
# Now in CUDA C++, where you program threads instead of blocks. The kernels are in `softmax.cu`.
# You need no GPU. Hotloop runs your CUDA C++ on the CPU, thread by thread, and watches every access: it
# reports races, barriers that not all threads reach, and out-of-bounds accesses, with their lines.
#
# `softmax_naive(x, y, rows, columns)` is launched as `<<<(rows + 255) / 256, 256>>>`: **one thread a row**.
# `x` and `y` are row-major float matrices without gaps, in any shape from 1 × 1 on. A row without a finite
# element gives zeros, as in task 1.
#
# ### HINTS fused_softmax.cuda_naive

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cuda_naive", "locked": true, "points": 8, "solution": false, "task": false}
check("fused_softmax.cuda_naive")

# %% [markdown]
# How many bytes does each line move? The cell below launches your kernel on 64 rows of 1024 columns and counts. *Predict
# first*: the lanes of a warp walk along 32 different rows. What share of the bytes moved did the lanes request?

# %%
from hotloop.engines.simulate.lesson import show_traffic

show_traffic("softmax.cu", "softmax_naive", rows=64, columns=1024)

# %% [markdown]
# ## 6. CUDA C++: one block per row
#
# ### CARD fused_softmax.cuda_block
#
# `softmax_block(x, y, rows, columns)` is launched as `<<<rows, 256>>>`: **256 threads share a row**.
# Let neighboring threads read neighboring elements. They must agree on one maximum and one sum: put partial
# results into a `__shared__` array and halve the number of threads that combine them, with a barrier before
# each step.
#
# The check runs your kernel in four orders of its threads. A missing barrier is reported even where the
# result happens to be right.
#
# ### HINTS fused_softmax.cuda_block

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cuda_block", "locked": true, "points": 17, "solution": false, "task": false}
check("fused_softmax.cuda_block")

# %%
show_traffic("softmax.cu", "softmax_block", rows=64, columns=1024)

# %% [markdown]
# ## 7. CUDA C++: warp shuffles and vector loads
#
# ### CARD fused_softmax.cuda_warp
#
# `softmax_warp(x, y, rows, columns)` is launched as `<<<rows, 256>>>` too. Three reasons to rewrite it:
#
# - the online recurrence of task 1 needs **one pass** for maximum and sum;
# - lanes of a warp exchange registers with `__shfl_xor_sync`, **without shared memory and without barriers**;
# - a `float4` is **one load of 16 bytes** instead of four, and eight of them a thread hold a row of up to 8192
#   elements in registers: it is read once. The count of bytes has no cache: four scalar loads of neighboring elements
#   by one thread touch the same sectors four times.
#
# Longer rows, and rows that are not aligned to 16 bytes, must be right as well; two passes are enough there.
#
# ### HINTS fused_softmax.cuda_warp

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cuda_warp", "locked": true, "points": 30, "solution": false, "task": false}
check("fused_softmax.cuda_warp")

# %%
show_traffic("softmax.cu", "softmax_warp", rows=64, columns=1024)

# %% [markdown]
# ## 8. Launch the kernel from C++ on the stable ABI
#
# ### CARD fused_softmax.operator_launcher
#
# A kernel becomes useful when PyTorch can call it. `softmax_op.cu` includes your `softmax.cu` and registers an
# operator on PyTorch's **stable ABI**: a small set of C headers that stays compatible from version to version, and
# compiles in seconds. Write the body of `softmax_forward(x)`.
#
# `x` must be a float32 tensor with 2 dimensions on the GPU; reject everything else with an error that says
# why. Rows may be strided, and the tensor may be empty. Without a GPU the simulator is the
# device: `x.is_cuda()` is true of its tensors there.
#
# ### HINTS fused_softmax.operator_launcher

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator_launcher", "locked": true, "points": 8, "solution": false, "task": false}
check("fused_softmax.operator_launcher")

# %% [markdown]
# ## 9. Register the operator for torch.compile
#
# ### CARD fused_softmax.operator_python
#
# `torch.compile` and `torch.export` cannot look into your kernel. In `softmax_op.py` register a *fake* kernel for
# `forward`, which describes the output without computing it: shape, dtype and layout, for every input that the real
# kernel accepts. The output of yours is contiguous.
#
# The check traces your operator between two others with `fullgraph=True`, where a graph break is an error. Then it
# exports it with one matrix and runs the graph with another one, transposed. See `operator_trials.py` for what each check calls.
#
# ### HINTS fused_softmax.operator_python

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator_python", "locked": true, "points": 7, "solution": false, "task": false}
check("fused_softmax.operator_python")

# %% [markdown]
# ## 10. The backward kernel
#
# ### CARD fused_softmax.operator_backward
#
# `softmax_backward_kernel` in `softmax_op.cu` computes the gradient: with `y` the output and `dy` the incoming
# gradient, **dx = y · (dy − Σ y · dy)**, the sum over the row. One block of 256 threads writes one row.
#
# In `softmax_op.py` register `backward` as the gradient of `forward`, and a fake kernel for it. Then decide what
# happens when a user differentiates your gradient again. PyTorch treats an operator without a gradient as a
# constant: *predict* what the second derivative then is, and try it.
#
# ### HINTS fused_softmax.operator_backward

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator_backward", "locked": true, "points": 17, "solution": false, "task": false}
check("fused_softmax.operator_backward")

# %% [markdown]
# PyTorch has its own checks for operators. The cell below runs `opcheck` on yours: it checks the schema, the
# registrations, and what your fake kernels declare.

# %%
from hotloop.engines.simulate.lesson import try_operator

try_operator("softmax_op.py")

# %% [markdown]
# ## 11. The same operator in Triton
#
# ### CARD fused_softmax.operator_triton
#
# An operator is an interface, and PyTorch does not care what implements it. In `softmax_op_triton.py` make
# your kernel of task 3 an operator, with `torch.library.custom_op`, and with a backward kernel in Triton:
#
# - `forward(x)` takes float32, float16 and bfloat16 matrices of any strides, and returns a contiguous result;
# - `backward(y, dy)` returns its gradient, for rows of any length;
# - both have fake kernels, and `forward` has its gradient registered. The second derivative is right, or an error.
#
# The check compares values; here it does not look at how they were computed. Your kernels themselves are checked in task 3.
#
# ### HINTS fused_softmax.operator_triton

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator_triton", "locked": true, "points": 11, "solution": false, "task": false}
check("fused_softmax.operator_triton")

# %% [markdown]
# Now compare both operators with `torch.nn.functional.softmax`. *Predict first*: on which inputs do the three differ,
# and by how much? Is it more than float32 explains? On a GPU the cell measures times as well. You will need the
# results in the last task.

# %%
from hotloop.engines.simulate.lesson import compare_operators

compare_operators("softmax_op.py", "softmax_op_triton.py")

# %% [markdown]
# ## 12. The older way: cpp_extension and autograd.Function
#
# ### CARD fused_softmax.operator_extension
#
# Most extensions that you will meet were written before `torch.library` and the stable ABI. They have two parts, and you
# write both, here for the CPU:
#
# - `softmax_ext.cpp`: C++ functions of `at::Tensor`, bound to Python by pybind11. `forward` returns the softmax of each row of
#   a float32 matrix of any strides, `forward_out` writes it, and `backward(y, dy)` returns the gradient
#   **dx = y · (dy − Σ y · dy)**. A row without a finite element gives zeros. Reject every other dtype, device and number of dimensions
#   with `TORCH_CHECK`.
# - `softmax_ext.py`: `extension()` compiles that file with `torch.utils.cpp_extension.load` and returns the module; `Softmax` is a
#   `torch.autograd.Function` around its functions.
#
# The first call compiles for 10 to 40 seconds. For a GPU, `load` takes `.cu` files beside the `.cpp` and calls nvcc; the
# structure is the same. The check times your forward against `torch.nn.functional.softmax` on the CPU. *Predict first*:
# PyTorch's is one fused kernel too, so what can make yours slower?
#
# ### HINTS fused_softmax.operator_extension

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "operator_extension", "locked": true, "points": 13, "solution": false, "task": false}
check("fused_softmax.operator_extension")

# %% [markdown]
# Why are new operators not written this way? Pass `softmax_ext.softmax` to `torch.export.export` and to `torch.compile` with
# `fullgraph=True`, and read the errors: PyTorch names the remedy. The lesson has the comparison.

# %% [markdown]
# ## 13. From the kernel to autograd in one CUDA extension
#
# ### CARD fused_softmax.extension_cuda
#
# Now all parts in one extension, as a repository with kernels of its own has them. `softmax_cuda_ext.cu` has the kernels, the functions of tensors that launch them,
# and their registration as operators, which is given; `softmax_cuda_ext.py` compiles it with `load` and wraps it for autograd. You write:
#
# - two kernels, the softmax of each row and its backward, **dx = y · (dy − Σ y · dy)**, with a launch configuration of your choice. A row without a finite element gives zeros.
# - `softmax_forward_out` and `softmax_backward`, which launch them on the stream that PyTorch works on, and raise an error for any dtype, device or
#   number of dimensions that the kernel cannot compute. `x` and `dy` may have any strides.
# - `extension()`, which calls `load` once and returns `torch.ops.softmax_cuda_ext`, and `Softmax`, a `torch.autograd.Function` around it.
#
# `load` in `extension_build.py` takes the arguments of `torch.utils.cpp_extension.load`. With a GPU it *is* that function, which calls nvcc; without one the
# simulator compiles the same file, and the CPU acts as the device. On a GPU the check also times your forward against `torch.nn.functional.softmax`.
#
# ### HINTS fused_softmax.extension_cuda

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "extension_cuda", "locked": true, "points": 13, "solution": false, "task": false}
check("fused_softmax.extension_cuda")

# %% [markdown]
# With a GPU, call `compare_with_pytorch()` in a new cell. *Predict first*: your kernel may read a row more than once. By how much does that make it slower where a row
# fits into the L2 cache, and where it doesn't?


# %%
def compare_with_pytorch():
    from softmax_cuda_ext import softmax_into
    from torch.utils.benchmark import Timer

    for columns in (1024, 8192, 65536):
        x = torch.randn(2**26 // columns, columns, device="cuda")
        names = {"x": x, "out": torch.empty_like(x), "softmax_into": softmax_into, "torch": torch}
        for call in ("softmax_into(x, out)", "torch.softmax(x, -1, out=out)"):
            seconds = Timer(call, globals=names).blocked_autorange().median
            print(f"{columns:6} columns: {seconds * 1e6:8.1f} µs  {call}")


# %% [markdown]
# ## 14. Explain when fusion helps
#
# ### CARD fused_softmax.explain
#
# A colleague has read your kernel and asks: *“It does the same arithmetic as before. Why is it faster, by
# how much can it be, and when will it not help?”* Answer in 150 to 350 words, with numbers:
#
# 1. bytes moved per element by the five-operation chain and by your kernel, in float32 and in bfloat16;
# 2. the lowest time that your kernel can take for a `[4096, 8192]` bfloat16 tensor on a GPU that copies at
#    3 TB/s (bytes read plus bytes written, a second), with the calculation;
# 3. one case in which fusing gains little or nothing, and why;
# 4. what changes when a row no longer fits in one block;
# 5. where your two operators and `torch.nn.functional.softmax` differ, and why neither is wrong.
#
# A person grades this answer.
#
# ### HINTS fused_softmax.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION fused_softmax.explain
# ### STUB *Write your answer here.*
# The chain reads the tensor five times and writes it three times: 8 · 4 = 32 bytes an element in
# float32, 8 · 2 = 16 in bfloat16. My kernel loads each row once and stores it once: 8 and 4 bytes. The
# arithmetic is the same, but softmax does only a few operations a byte, so it is memory-bound and the
# upper bound on the speedup is 32 / 8 = 4 in both types.
#
# `[4096, 8192]` in bfloat16 is 4096 · 8192 · 2 B = 67 MB. Read once and written once that is 134 MB; at
# 3 TB/s it takes at least 134e6 / 3e12 s = 45 µs. A kernel that takes 60 µs reaches 75 % of the limit.
#
# Fusing gains little when memory isn't the bottleneck. A tensor that fits in the cache makes the
# intermediate results cheap; on a CPU the exponentials then dominate. A tiny tensor on a GPU is launch-bound,
# and one launch instead of five is a different gain from fewer bytes. And against `torch.softmax`, which is one fused
# kernel already, there is nothing left to fuse.
#
# When a row doesn't fit in one block, its elements can't stay in registers between the sum and the
# division. The online recurrence needs one pass for maximum and sum together, and a second pass reads the
# row again to write it: 3 · s bytes an element instead of 2 · s, unless the second read hits the cache.
#
# On ordinary rows the three agree to a few units in the last place: the same sums are taken in another order.
# On a row of −inf only PyTorch gives NaN, the definition's 0 / 0, and mine give zeros, as attention wants it. The
# operator in CUDA C++ refuses bfloat16, for which I have written no kernel; the one in Triton takes it.
# ### END SOLUTION
