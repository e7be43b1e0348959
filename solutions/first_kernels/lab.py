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
# # First kernels
#
# A GPU runs thousands of threads at once, and many kernels spend most of their time waiting for memory. In this notebook
# you write six small kernels, three in OpenAI Triton and three in CUDA C++, and count the bytes that each of them moves. At
# the end you read a profile and say what limits a kernel.
#
# How it works here:
#
# - Kernels are written in two files beside this notebook. Open them in JupyterLab's editor (double-click in the file
#   list), save, and run the cell with `check(…)` here. A separate judge process calls your kernel on hidden inputs and
#   tells you what it saw.
#   *View › Text Editor Syntax Highlighting › C++* colors `kernels.cu`.
# - No GPU is needed to start: Triton kernels run in Triton's interpreter, and CUDA C++ in Hotloop's simulator, which
#   runs your threads one by one and watches every access. What only a GPU can show says `not_measured`, and its points
#   stay open.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `kernels_triton.py` | kernels in Triton: tasks 1, 3 and 6 |
# | `kernels.cu` | kernels in CUDA C++: tasks 2, 4 and 5 |
#
# The lesson has a picture of threads and memory for each task.

# %%
from hotloop import check
from hotloop.engines.simulate.lesson import show_traffic

# %% [markdown]
# ## 1. Triton: a map
#
# ### CARD first_kernels.axpy
#
# In Triton you write what **one program** does with a **block** of elements. A launch starts a grid of programs; each
# knows its own number, `tl.program_id(0)`. Write the kernel and `axpy(a, x, y, out)` in `kernels_triton.py`:
#
# - `out` = `a · x + y`, element by element. `a` is a Python float; `x`, `y` and `out` have the same shape and are
#   contiguous. They can have any number of elements, far more than one program can keep in registers.
# - float32 or float16. Compute in float32: in float16 the product alone may be too large, although the sum is not.
# - Do not read or write past the end of a tensor.
#
# Try it on a CPU:
#
# ```python
# import os
# os.environ["TRITON_INTERPRET"] = "1"    # before Triton is imported
# import importlib, torch, kernels_triton
#
# importlib.reload(kernels_triton)        # the file as you saved it last
# x, y, out = torch.rand(3, 1000)
# kernels_triton.axpy(2.0, x, y, out)
# print((out - (2 * x + y)).abs().max())
# ```
#
# ### HINTS first_kernels.axpy

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "axpy", "locked": true, "points": 13, "solution": false, "task": false}
check("first_kernels.axpy")

# %% [markdown]
# ## 2. CUDA C++: a fused elementwise kernel
#
# ### CARD first_kernels.bias_gelu
#
# In CUDA C++ you write what **one thread** does. 32 threads of a block, the lanes of a **warp**, execute one instruction
# together. Memory moves in sectors of 32 bytes: if the 32 lanes read neighboring addresses, every byte that moves is used.
# The simulator has no cache: each load of a warp counts the sectors that it touches, also those that the load before it
# touched. So four scalar loads beside a `float4` count four times; use one width, or let the lanes be neighbors.
#
# `bias_gelu(x, bias, y, rows, columns)` in `kernels.cu` is launched as `<<<rows, 256>>>`, **one block a row**. Write
# `y = gelu(x + bias)` with the formula above the kernel. All tensors are float32 and row-major; `bias` has one element per
# column. A row can have any length, and can be too long for shared memory or registers. As two operations in PyTorch the
# sum would be written to memory and read again; here it stays in a register.
#
# ### HINTS first_kernels.bias_gelu

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "bias_gelu", "locked": true, "points": 17, "solution": false, "task": false}
check("first_kernels.bias_gelu")

# %% [markdown]
# ## 3. Triton: a reduction
#
# ### CARD first_kernels.row_sums
#
# Write the kernel and `row_sums(x, out)` in `kernels_triton.py`: one program a row.
#
# - `x` is [rows, columns], float32 or float16, with any stride between rows; columns are contiguous.
# - `out` is [rows], float32. Sum in float32: a float16 sum of ones stops at 2048.
# - A row may have more columns than a block can have elements (1,048,576), so a program needs a loop.
#
# ### HINTS first_kernels.row_sums

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "row_sums", "locked": true, "points": 14, "solution": false, "task": false}
check("first_kernels.row_sums")

# %% [markdown]
# ## 4. CUDA C++: a transpose
#
# ### CARD first_kernels.transpose
#
# `transpose(x, y, rows, columns)` is launched as `<<<(rows + 31) / 32, 256>>>`: **a block writes 32 rows of y**. `y` is
# [rows, columns], `x` is [columns, rows]; both are float32 and row-major, of any shape. 32 rows of y may not fit into
# shared memory (48 KB).
#
# If a warp reads a row of x, its 32 elements go to 32 different rows of y, a whole row apart. Put a tile into `__shared__` memory instead:
# read rows, wait at a barrier, write rows. Then look at the **32 banks** of the shared memory: if lanes access different addresses in one
# bank, the accesses are served one after the other.
#
# ### HINTS first_kernels.transpose

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "transpose", "locked": true, "points": 18, "solution": false, "task": false}
check("first_kernels.transpose")

# %% [markdown]
# *Predict first*: which of your lines moves most, and would anything change in this picture without the padding of the
# tile?

# %%
show_traffic("kernels.cu", "transpose", rows=64, columns=64)

# %% [markdown]
# ## 5. CUDA C++: a stencil
#
# ### CARD first_kernels.blur_rows
#
# `blur_rows(x, y, rows, columns)` is launched as `<<<rows, 256>>>`, **one block a row**:
# `y[r][c]` is the mean of the seven elements `x[r][c − 3]` to `x[r][c + 3]`, where x is 0 beyond the ends of a row. (The
# sum is always divided by 7.)
#
# A row may not fit into shared memory (48 KB), so take it in pieces. Load each piece into shared memory, with three more
# elements on either side, and compute from there.
#
# ### HINTS first_kernels.blur_rows

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "blur_rows", "locked": true, "points": 20, "solution": false, "task": false}
check("first_kernels.blur_rows")

# %%
show_traffic("kernels.cu", "blur_rows", rows=16, columns=1024)

# %% [markdown]
# ## 6. Triton: a tiled matrix product
#
# ### CARD first_kernels.matmul
#
# Write the kernel and `matmul(a, b, c)` in `kernels_triton.py`: `c = a @ b`, a tile of `c` in each program.
#
# - `a` is [m, k] and `b` is [k, n], both float16, with any stride between rows; columns are contiguous. `c` is [m, n],
#   float32, with a stride of its own.
# - Use `tl.dot` with a float32 accumulator. m, n and k need not be multiples of your tile, and k and n can be larger than
#   any block.
#
# A tile of 64 × 64 results needs 64 rows of a and 64 columns of b: each element that it loads is used 64 times. The check
# counts how often a and b are loaded.
#
# ### HINTS first_kernels.matmul

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "matmul", "locked": true, "points": 19, "solution": false, "task": false}
check("first_kernels.matmul")

# %% [markdown]
# ## 7. The roofline
#
# ### CARD first_kernels.roofline
#
# Write `roofline(flops, moved, seconds, peak, bandwidth)`. A kernel executed `flops` operations and moved `moved` bytes in `seconds`;
# `peak` (operations per second) and `bandwidth` (bytes per second) are the GPU's limits. Return a dict:
#
# | key | value |
# | --- | --- |
# | `"intensity"` | operations a byte of the kernel |
# | `"ridge"` | operations a byte of the GPU at which both limits are equal |
# | `"attainable"` | the highest rate, in operations a second, at the kernel's intensity |
# | `"share"` | the rate that the kernel reached, as a share of the attainable one |
# | `"bound"` | `"memory"` left of the ridge, `"compute"` from the ridge on |
#
# ### HINTS first_kernels.roofline


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "roofline_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION first_kernels.roofline
### STUB def roofline(flops, moved, seconds, peak, bandwidth):
### STUB     raise NotImplementedError("first_kernels.roofline")
def roofline(flops, moved, seconds, peak, bandwidth):
    intensity, ridge = flops / moved, peak / bandwidth
    attainable = min(peak, intensity * bandwidth)
    return {
        "intensity": intensity,
        "ridge": ridge,
        "attainable": attainable,
        "share": flops / seconds / attainable,
        "bound": "memory" if intensity < ridge else "compute",
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "roofline", "locked": true, "points": 6, "solution": false, "task": false}
check("first_kernels.roofline")

# %% [markdown]
# ## 8. Read a table of Nsight Compute
#
# ### CARD first_kernels.read_profile
#
# `ncu --csv --page raw --print-units base` prints a table: a line with the names of the columns, a line with their units, and a line for
# each kernel. The metrics and their order differ from file to file. Numbers may have commas, such as `"1,234,567"`. Write
# `read_profile(path, needed_path, sms)`:
#
# - `path` is such a CSV file. `needed_path` is a JSON file: for the name of each kernel, the minimum bytes that it has to move. `sms` is
#   the number of streaming multiprocessors (SMs) of the GPU.
# - Return a list with one word for each kernel, in the file's order: the first of these that is true.
#
# | word | when |
# | --- | --- |
# | `"too_few_blocks"` | `launch__grid_size` is less than the number of SMs |
# | `"extra_traffic"` | `dram__bytes.sum` is more than 1.5 times the needed bytes |
# | `"bank_conflicts"` | `l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum` is more than 0.25 times `l1tex__data_pipe_lsu_wavefronts_mem_shared.sum`; both are 0 in a kernel without shared memory |
# | `"memory"`, `"compute"` | the larger of `gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed` and `sm__throughput.avg.pct_of_peak_sustained_elapsed` is at least 60: that one limits the kernel |
# | `"latency"` | none of these: the GPU mostly waits for loads and for other instructions to finish |
#
# ### HINTS first_kernels.read_profile

# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "read_profile_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION first_kernels.read_profile
### STUB def read_profile(path, needed_path, sms):
### STUB     raise NotImplementedError("first_kernels.read_profile")
import csv
import json


def read_profile(path, needed_path, sms):
    with open(needed_path, encoding="utf-8") as stream:
        needed = json.load(stream)
    with open(path, encoding="utf-8", newline="") as stream:
        _units, *kernels = csv.DictReader(stream)
    return [limit(kernel, needed[kernel["Kernel Name"]], sms) for kernel in kernels]


def limit(kernel, needed, sms):
    def number(metric):
        return float(kernel[metric].replace(",", ""))

    if number("launch__grid_size") < sms:
        return "too_few_blocks"
    if number("dram__bytes.sum") > 1.5 * needed:
        return "extra_traffic"
    passes = number("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
    if number("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum") > 0.25 * passes:
        return "bank_conflicts"
    memory = number("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
    compute = number("sm__throughput.avg.pct_of_peak_sustained_elapsed")
    if max(memory, compute) < 60:
        return "latency"
    return "memory" if memory > compute else "compute"


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_profile", "locked": true, "points": 8, "solution": false, "task": false}
check("first_kernels.read_profile")

# %% [markdown]
# ## 9. What limits this kernel?
#
# ### CARD first_kernels.explain
#
# The reference kernel of the module *Fused softmax* on an NVIDIA H200, as measured by Nsight Compute: a float32 matrix of
# 8192 × 8192 is read and written once, in 129 µs; 532 MB moved between the GPU and its memory. A copy of the same
# matrix reaches 4.28 TB/s there, and the GPU has 132 SMs. (The judge's clock gives this kernel more time, since it includes
# more than the kernel: the way to the device, gaps, and the first access to new memory.)
#
# A colleague launches the same kernel on 40 rows of 8192, sees a low DRAM throughput, and says that the kernel is bad.
# Answer in 100 to 250 words:
#
# 1. What limits the first launch, and how close is it to that limit? Show the calculation.
# 2. What limits the second one, and why is the percentage low?
# 3. What would you change for 40 rows, what can it gain at most, and how would you check it?
#
# A person grades this answer.
#
# ### HINTS first_kernels.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION first_kernels.explain
# ### STUB *Write your answer here.*
# The first launch has to move 8192 · 8192 · 4 B, read once and written once: 537 MB. It moved 532 MB, so nothing is read
# twice (some of the last writes were still in the cache). 532 MB in 129 µs are 4.1 TB/s, 96 % of what a copy reaches: it is
# limited by memory bandwidth, and no other kernel that moves these bytes can be more than 4 % faster.
#
# The second launch has one block a row, 40 blocks for 132 SMs. 92 of them have nothing to do, and each of the
# others has one block, whose threads wait for their own loads and barriers. A low percentage of DRAM throughput says that
# the memory was idle, not that the kernel moves too many bytes: 2.6 MB would take 0.6 µs at 4.28 TB/s, less than a launch
# costs.
#
# I would give each row to several blocks, say four: 160 blocks with a quarter of a row each, which combine their maxima and
# sums in a second small kernel, or use a cluster of blocks. At most it can become as fast as an empty launch, some
# microseconds; below that only fewer launches help, for example a CUDA graph, or fusing it with what comes before. I would
# check it with the time of both versions, interleaved, beside that of an empty kernel, and look at the number of active
# SMs in the profile.
# ### END SOLUTION
