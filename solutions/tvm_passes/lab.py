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
# # Schedules and passes in TVM
#
# A compiler for tensor programs does two things: it changes the order of the computation (the schedule), and it rewrites the operators. By
# the end you have done both, by hand and by search, and your rewrites have been tested on hidden programs.
#
# How it works here:
#
# - You write in the Python files next to this notebook, where a line says `### TASK …`. Save, and run the cell
#   with `check(…)` here. The judge applies your functions to hidden modules, checks the modules that they return,
#   and runs those in a separate process.
# - A module travels as a file: `ir_files.read_module` and `ir_files.write_module`.
# - No GPU is needed. What only a GPU can show says `not_measured`, and its points are pending.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `matmul.py` | a matrix product: naive, scheduled for a CPU and a GPU, tuned |
# | `import_network.py`, `relax_pass.py` | a network from PyTorch, and a pass on operators |
# | `tir_pass.py` | a pass on loops |
# | `accelerator.py` | offloading the supported parts of a network to an accelerator |
# | `accelerator.md`, `mac16.py` | that accelerator: its description, and a model of it in Python |
# | `network.py` | the network that you import |
# | `ir_files.py`, `passes_drawing.py` | reads and writes modules, and draws them in this notebook |
# | `in_process.py` | MetaSchedule's builder and runner in this process |
# | `search_budgets.py` | searches with and without a learned model, compared |
# | `recorded_workload.json`, `recorded_trials.json` | a search that was recorded |
# | `recorded_searches.json` | the times of searches with three cost models |

# %%
import json
import time
import warnings
from pathlib import Path

import ir_files
import numpy as np
import tvm
from hotloop import check
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T

# What torch.export does inside of PyTorch will change there.
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")

made = Path("made")
made.mkdir(exist_ok=True)

# %% [markdown]
# ## 1. A matrix product in TIR
#
# ### CARD tvm_passes.naive_matmul
#
# TIR is a language of loops around *blocks*. A block says what one step computes, with its own axes: spatial
# ones (S), whose steps are independent, and reductions (R), which are summed over. The loops around it only say
# in which order the steps come. That is why a schedule may change them.
#
# Write in `matmul.py`:
#
# - `naive_matmul(m, n, k)`: a `PrimFunc` with buffers `A [m, k]`, `B [k, n]`, `C [m, n]` in float32, three plain
#   loops over m, n and k, in that order, and one block called `"C"` that starts each sum in its `T.init`.
# - `read_tir(source)`: what a given function computes. It has one block, `"out"`; its loops can have any names and any order. A dict of
#   - `loops`: `[name, extent]` of each, from the outside in;
#   - `reductions`: names of the loops over which it sums, sorted;
#   - `bytes`: for each buffer, by its name, the bytes of those elements that it touches, each once;
#   - `flops`: additions and products of floats, without the `T.init`.
#
# `tvm_ffi.structural_walk(expression, (node_type, function))` visits nodes; the `stmt_functor` of older releases is
# gone.
#
# ### HINTS tvm_passes.naive_matmul

# %%
import matmul

product = matmul.naive_matmul(64, 32, 16)
product.show()
ir_files.write_module(product, made / "naive.json")
matmul.read_tir(made / "naive.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "naive_matmul", "locked": true, "points": 12, "solution": false, "task": false}
check("tvm_passes.naive_matmul")

# %% [markdown]
# ## 2. Schedule a matmul on a CPU
#
# ### CARD tvm_passes.schedule
#
# One step of the naive product multiplies two numbers and adds one. Each innermost iteration moves to another row of B, 4·n bytes further:
# it uses four of the 64 bytes that come into the cache. Every addition waits for the one before it. And a vector register could hold
# sixteen numbers where the loop computes one.
#
# Predict before you begin: at 512³, how much is gained by the order of the loops alone, by vectors, and by a tile of C that stays in
# registers? Measure after each step and write the times down; the report asks for them.
#
# Write `schedule(source, target)` in `matmul.py`. It reads the naive product from a file and writes the scheduled one, in float32
# throughout; m, n and k are multiples of 32. `s_tir.Schedule` refuses transformations that would change the result, and its messages give
# the reason. Both products are compiled for this CPU and get as many threads as the judge has. The limit that the judge shows is the best
# product of PyTorch's library here, in float32 or in bfloat16.
#
# ### HINTS tvm_passes.schedule

# %%
HERE = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})


def milliseconds(path, m, n, k, runs=5):
    """The fastest of some runs, and the largest error."""
    built = tvm.compile(ir_files.read_module(path), target=HERE)["main"]
    a, b = (np.random.rand(*shape).astype("float32") for shape in ((m, k), (k, n)))
    tensors = [tvm.runtime.tensor(x) for x in (a, b, np.zeros((m, n), "float32"))]
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        built(*tensors)
        seconds.append(time.perf_counter() - started)
    return 1e3 * min(seconds), float(abs(tensors[2].numpy() - a @ b).max())


def library_milliseconds(m, n, k, runs=5):
    """Of numpy's product, which its BLAS library computes: the fastest of some runs."""
    a, b = (np.random.rand(*shape).astype("float32") for shape in ((m, k), (k, n)))
    seconds = []
    for _ in range(runs):
        started = time.perf_counter()
        a @ b
        seconds.append(time.perf_counter() - started)
    return 1e3 * min(seconds)


matmul.save_naive(512, 512, 512, made / "naive_512.json")
matmul.schedule(made / "naive_512.json", made / "fast_512.json")
names = ("naive_512", "fast_512")
measured = {name: milliseconds(made / f"{name}.json", 512, 512, 512) for name in names}
# Last, for its threads may go on waiting where yours would compute.
library = library_milliseconds(512, 512, 512)
print(f"numpy: {library:.2f} ms")
for name, (took, error) in measured.items():
    print(
        f"{name}: {took:.2f} ms, {library / took:.1%} of numpy's speed; largest error {error:.1e}"
    )

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "schedule", "locked": true, "points": 22, "solution": false, "task": false}
check("tvm_passes.schedule")

# %% [markdown]
# ## 3. Schedule a matmul for a GPU
#
# ### CARD tvm_passes.cuda_source
#
# On a GPU each thread computes a few elements of C, and the loops over threads and blocks are *bound* to `threadIdx` and `blockIdx`. The
# threads of a block share a memory of 48 KiB. They load tiles of A and B into it together, so that each element is loaded from global
# memory once and read many times.
#
# Write `cuda_source(source, target)` in `matmul.py`: the naive product becomes a module for a GPU; m, n and k are multiples of 64. Cache
# both factors in `"shared"` with `cache_read`, and leave the caches with the shape that the schedule gives them. The copies load four
# floats at a time (`vectorize`), and neighboring threads load neighboring elements. All of it is one kernel, in float32, of at most 1024
# threads per block. TVM generates CUDA C++ from it without a GPU and without nvcc; the cell below shows it. The judge runs your threads one
# after the other, reads the source, and compiles it where nvcc is installed.
#
# Predict: how many bytes of shared memory, how many threads, how many `__syncthreads()` will the source have?
#
# ### HINTS tvm_passes.cuda_source

# %%
matmul.save_naive(512, 512, 512, made / "naive_512.json")
matmul.cuda_source(made / "naive_512.json", made / "gpu_512.json")
target = tvm.target.Target({"kind": "cuda", "arch": "sm_80"}, host="llvm")
built = tvm.compile(ir_files.read_module(made / "gpu_512.json"), target=target)
source = built.mod.imports[0].inspect_source()
print(source[source.index("__global__") :][:3000])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cuda_source", "locked": true, "points": 18, "solution": false, "task": false}
check("tvm_passes.cuda_source")

# %% [markdown]
# ## 4. Import a PyTorch network into Relax
#
# ### CARD tvm_passes.import_network
#
# `network.py` holds a small residual network with trained weights. Import it into TVM. In `import_network.py`, write three functions:
#
# - `import_network(seed, width, blocks, parameters, target)` writes `network.load(seed, width, blocks)` as a Relax module. `parameters` is
#   `"inside"`, where they are constants of `main`, or `"inputs"`, where `main` takes them after the images, in PyTorch's order, and the
#   file does not hold their values. `main` takes float32 `[batch, 3, 16, 16]` and returns float32 `[batch, 5]`, and the batch is symbolic.
# - `lower(source, target)` reads such a module and writes it with each operator as a `call_tir` of a PrimFunc.
# - `facts(source)` describes a module in a dict: `operators`, calls of each by name; `inside`, numbers in constants; `asked`, numbers that
#   parameters hold; and `shared`, PrimFuncs that are called more than once.
#
# A prediction first: with `"inputs"`, will the running statistics of the batch normalizations be inputs, too?
#
# ### HINTS tvm_passes.import_network

# %%
import passes_drawing
from import_network import facts, import_network, lower
from IPython.display import SVG
from ir_files import read_module

# %%
import_network(1, 8, 1, "inputs", "made/network.json")
lower("made/network.json", "made/lowered.json")
facts("made/network.json"), facts("made/lowered.json")

# %%
SVG(passes_drawing.graph(read_module("made/network.json"), marked=["nn.batch_norm"]))

# %% [markdown]
# The running statistics are buffers, not parameters, so they stay inside. Batch normalization returns a tuple, of which the network uses
# the first part. And the head's weight is transposed in the graph, again in each run: a pass could do that ahead of time. Below is one of
# the lowered functions, as nested loops.

# %%
lowered = read_module("made/lowered.json")
convolution = next(v.name_hint for v in lowered.functions if v.name_hint.startswith("conv2d"))
SVG(passes_drawing.loops(lowered[convolution]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "import_network", "locked": true, "points": 14, "solution": false, "task": false}
check("tvm_passes.import_network")

# %% [markdown]
# ## 5. A Relax fusion pass
#
# ### CARD tvm_passes.fuse_multiply_add
#
# Consecutive `R.multiply` and `R.add` write the product to memory and read it again. `R.ewise_fma(a, b, c)` is a·b + c in one operator.
# When may a pass replace the pair by it? Look at this function first and predict: how many pairs in it may be fused?


# %%
@I.ir_module
class Example:
    @R.function
    def main(
        x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32"), z: R.Tensor((3,), "float32")
    ):
        with R.dataflow():
            a = R.multiply(x, y)
            b = R.add(y, a)
            c = R.multiply(b, b)
            d = R.add(c, z)
            e = R.multiply(d, x)
            f = R.add(e, y)
            g = R.subtract(f, e)
            R.output(g)
        return g


Example.show()

# %% [markdown]
# One: b. d adds a tensor of another shape, which R.ewise_fma does not take, and e has a second user, which still needs the product. Write
# the pass in `relax_pass.py`, twice: once with `tvm.relax.dpl`, once as a `PyExprMutator`.
# The two do different parts of the work for you, so look at both results.
#
# ### HINTS tvm_passes.fuse_multiply_add

# %%
import relax_pass

ir_files.write_module(Example, made / "example.json")
for fuse in (relax_pass.fuse_by_pattern, relax_pass.fuse_by_mutator):
    fuse(made / "example.json", made / "fused.json")
    ir_files.read_module(made / "fused.json").show()

# %% [markdown]
# The judge draws random functions, runs yours and the original on fresh numbers, counts the pairs itself, and runs the pass a second time
# on its own result.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fuse_multiply_add", "locked": true, "points": 14, "solution": false, "task": false}
check("tvm_passes.fuse_multiply_add")

# %% [markdown]
# ## 6. Eliminate bounds checks in TIR
#
# ### CARD tvm_passes.tir_pass
#
# A compiler that tiles a loop of 13 by 4 writes `if i * 4 + j < 13` around each access. For how many values of i is the answer not already
# known? Predict what the function below looks like without its redundant checks.


# %%
@I.ir_module
class Guarded:
    @T.prim_func
    def main(A: T.Buffer((13,), "int32"), B: T.Buffer((8,), "int32")):
        also_B = T.decl_buffer((8,), "int32", data=B.data)
        for i in range(4):
            for j in range(4):
                if i * 4 + j < 13:
                    A[i * 4 + j] = A[i * 4 + j] + 1
        for i in range(8):
            if i < 7:
                B[i] = B[i] + B[i + 1]
            if B[i] > 0:
                also_B[i] = -1
                if B[i] > 0:
                    B[i] = 5


Guarded.show()

# %% [markdown]
# Three tiles need no check; the last one keeps its own. The last iteration of the second loop is peeled off, as all others have `i < 7`.
# The inner check of `B[i] > 0` stays: it looks redundant, but the store before it writes the same memory under another name.
#
# Write the pass in `tir_pass.py`; the code that traverses statements and rebuilds them is given there.
#
# ### HINTS tvm_passes.tir_pass

# %%
import tir_pass

ir_files.write_module(Guarded, made / "guarded.json")
tir_pass.apply(made / "guarded.json", made / "free.json")
ir_files.read_module(made / "free.json").show()

# %% [markdown]
# The judge draws random functions with guards of all kinds, runs yours and the original on fresh numbers with an interpreter that detects
# each out-of-bounds access, and looks for guards that are left.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tir_pass", "locked": true, "points": 15, "solution": false, "task": false}
check("tvm_passes.tir_pass")

# %% [markdown]
# ## 7. Tune with MetaSchedule
#
# ### CARD tvm_passes.tune
#
# MetaSchedule samples the open decisions of a schedule: tile sizes, compute locations, unroll limits. It measures the candidates
# and stores the decisions with the times: a *trace*. By default a learned cost model ranks the candidates; this search
# used `cost_model="random"`, which ranks them at random. `recorded_trials.json` has the 32
# traces of one search for the 256³ product, a line each, with the seconds that each took, several times.
#
# Write two functions in `matmul.py`:
#
# - `explain(workload, trials)`: from the two files of any such search, a dict of
#   - `best`: the number of the line with the smallest mean time, from 0;
#   - `failed`: how many trials could not be built or run: their time is 1e10 seconds;
#   - `speed_up`: the time of the first trial that did not fail, divided by the best;
#   - `tiles`: of the best, a dict with the tile sizes of each of the loops `"i"`, `"j"` and `"k"`, a list from the outside in;
#   - `sampled`: of the best, how many samples its trace has, by the name of the instruction, such as `"SamplePerfectTile"`;
#   - `unroll`: of the best, how far it unrolls: the value, not the number of the choice.
# - `replayed(source, target)`: your best trace, applied to the naive 256³ product. Search with `tune` below, or take
#   the best of the recording.
#
# ### HINTS tvm_passes.tune

# %%
first = json.loads(Path("recorded_trials.json").read_text().splitlines()[0])[1]
(instructions, decisions), seconds, *_ = first
for number, instruction in enumerate(instructions[:16]):
    print(number, *instruction)
print("decided:", decisions)
print("seconds:", seconds)

# %% [markdown]
# Your own search: 16 trials, in this process. Each trial is built, run on random numbers and timed. Set `SEARCH` and wait; on two busy
# cores the 32 recorded trials took six minutes, of which 65 seconds were computing.

# %%
SEARCH = False
if SEARCH:
    matmul.save_naive(256, 256, 256, made / "naive_256.json")
    (made / "search").mkdir(exist_ok=True)
    database = matmul.tune(made / "naive_256.json", made / "search", trials=16)
    best = database.get_top_k(database.get_all_tuning_records()[0].workload, 1)[0]
    best.as_measure_candidate().sch.trace.show()

# %%
matmul.explain("recorded_workload.json", "recorded_trials.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tune", "locked": true, "points": 12, "solution": false, "task": false}
check("tvm_passes.tune")

# %% [markdown]
# ## 8. Compare searches on equal budgets
#
# ### CARD tvm_passes.equal_budgets
#
# Timing a candidate takes a second, predicting its time a millisecond. So a search predicts thousands of candidates and times the best of
# them; the timed ones train the model. The default is `cost_model="xgb"`, boosted trees by XGBoost. Does it help? Only searches with **the
# same budget** answer that. `recorded_searches.json` has the mean seconds of each trial, in order, of searches for the 256³ product from
# three seeds: `random`, `xgb` with a warm-up of one round, and `xgb as it comes`. They ran beside other work.
#
# Write `compare(searches)` in `search_budgets.py`. It returns for such a file a dict of
#
# - `budget`: the trials that every search of `random` and of `xgb` has; a failed trial (1e10 seconds) counts;
# - `random`, `xgb`: the best time within that budget, the median over the searches of each kind;
# - `ratio`: how many times as fast the best of the learned searches is;
# - `trials`: after how many trials the median of the learned searches is at most `random`; None if it never is.
#
# Predict first: `xgb as it comes` had 64 trials like the others. Was it better than `random`?
#
# ### HINTS tvm_passes.equal_budgets

# %%
for name, found in json.loads(Path("recorded_searches.json").read_text()).items():
    print(f"{name:16}", *(f"{min(times) * 1e3:.3f} ms" for times in found))

# %% [markdown]
# Now look at the default of `num_warmup_samples`: before that many samples the model's scores are random. How did the searches that used
# the default rank their candidates? And how do the differences between seeds compare with those between models?

# %%
from tvm.s_tir.meta_schedule.cost_model import XGBModel

print("warm-up:", XGBModel().num_warmup_samples)

# %%
import search_budgets

search_budgets.compare("recorded_searches.json")

# %% [markdown]
# To run a search with the learned model yourself, install xgboost (`pip install xgboost-cpu`) and allow some minutes.

# %%
LEARNED = False
if LEARNED:
    matmul.save_naive(256, 256, 256, made / "naive_256.json")
    (made / "learned").mkdir(exist_ok=True)
    model = XGBModel(num_warmup_samples=16)
    matmul.tune(made / "naive_256.json", made / "learned", trials=48, cost_model=model)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "equal_budgets", "locked": true, "points": 5, "solution": false, "task": false}
check("tvm_passes.equal_budgets")

# %% [markdown]
# ## 9. A learned cost model for MetaSchedule
#
# ### CARD tvm_passes.cost_model
#
# `recorded_candidates.json.gz` has 320 random schedules of a transformer's operator: a product with bias and relu. Each one's cost is known
# without noise: its compiled code was not timed but counted, by callgrind, in instructions and cache misses. So a search among them needs no
# clock, and two searches on the same budget can be compared without noise. `candidates.search(path, make_model)` plays one: 16 random
# candidates, then three rounds of the 16 with the largest scores that are left. The first round has none to learn from.
#
# Write such a model in `cost_model.py`: a `PyCostModel` as MetaSchedule takes it. `update(context, measured, results)` gets candidates
# with their `RunnerResult`s; a failed one has no `run_secs`. `predict(context, asked)` returns a float64 array, a score for each
# candidate, larger for a faster one; it is also called before the first update, and for programs of which nothing was measured. A
# `PerStoreFeature` extractor gives MetaSchedule's own features. The model is to be your own, in NumPy or PyTorch:
# MetaSchedule's `XGBModel` and `MLPModel` are refused, and so is `tvm.compile`: the judge alone measures candidates.
#
# The judge plays eight searches of four other operators, with two failed candidates in each first round. A model is judged by the
# candidates that it has measured after the first round, by their mean speed: 0 % is what random candidates reach, 100 % the best 48. 20 % are
# required, and 60 seconds are there for each round; MetaSchedule's own `XGBModel` goes almost twice as far (in the lesson).
#
# Predict first: 48 of the 304 candidates that are left are measured. How often does a search with random scores find the best?
#
# ### HINTS tvm_passes.cost_model

# %%
import candidates

for seed in range(3):
    shares = candidates.search("recorded_candidates.json.gz", seed=seed)
    print(*(f"{share:.2f}" for share in shares[15::16]))

# %%
from tvm.s_tir.meta_schedule.feature_extractor import PerStoreFeature

tuning, pool, seconds = candidates.read("recorded_candidates.json.gz")
features = PerStoreFeature().extract_from(tuning, pool[:2])
print([each.numpy().shape for each in features])
pool[0].sch.mod["main"].show()

# %%
from cost_model import cost_model

for seed in range(3):
    shares = candidates.search("recorded_candidates.json.gz", cost_model, seed=seed)
    print(*(f"{share:.2f}" for share in shares[15::16]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cost_model", "locked": true, "points": 11, "solution": false, "task": false}
check("tvm_passes.cost_model")

# %% [markdown]
# ## 10. Partition a graph for an accelerator
#
# ### CARD tvm_passes.partition
#
# `accelerator.md` describes `mac16`: what it multiplies, what it refuses, how little memory it has, and what each call and each tensor
# transfer costs. It does not exist; its costs are given, not measured. `mac16.py` has the table as functions.
#
# In `accelerator.py`, write `partition(source, target)`. It reads a Relax module and writes it partitioned: what
# goes to the accelerator is in functions with `Codegen` `"mac16"`, which call functions with a `Composite` name that the accelerator knows.
# TVM has passes for it: `FuseOpsByPattern` makes composite functions where a pattern matches and your `check` agrees, and
# `MergeCompositeFunctions` joins neighbors into regions. Neither knows about K, the memory size or the costs; your code has to.
#
# Predict first: a product of 8 × 16 by 16 × 16 is supported. Is it worth the transfer?
#
# ### HINTS tvm_passes.partition

# %%
import mac16
from accelerator import partition
from ir_files import write_module
from tvm import relax


def small_graph(rows, k):
    """Two layers, and a tanh that only the host can do."""
    sizes = {"x": (rows, k), "w1": (k, 64), "b1": (64,), "w2": (64, 32), "b2": (32,)}
    given = {
        name: relax.Var(name, relax.TensorType(size, "float32")) for name, size in sizes.items()
    }
    builder, op = relax.BlockBuilder(), relax.op
    with builder.function("main", list(given.values())):
        with builder.dataflow():
            y = builder.emit(op.matmul(given["x"], given["w1"]))
            y = builder.emit(op.nn.relu(builder.emit(op.add(y, given["b1"]))))
            z = builder.emit(op.add(builder.emit(op.matmul(y, given["w2"])), given["b2"]))
            result = builder.emit_output(op.tanh(z))
        builder.emit_func_output(result)
    return builder.get()


# %%
write_module(small_graph(32, 64), "made/graph.json")
partition("made/graph.json", "made/divided.json")
divided = read_module("made/divided.json")
divided.show()

# %%
mac16.bill(small_graph(32, 64)), mac16.bill(divided)

# %%
SVG(passes_drawing.graph(divided, weights=True))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "partition", "locked": true, "points": 16, "solution": false, "task": false}
check("tvm_passes.partition")

# %% [markdown]
# What does your partition do where K is 40, and where the graph has 8 rows? Look at the costs before you look at the graphs.

# %%
for rows, k in [(32, 40), (8, 64), (64, 256)]:
    write_module(small_graph(rows, k), "made/graph.json")
    partition("made/graph.json", "made/divided.json")
    print(rows, k, mac16.bill(read_module("made/divided.json")))

# %% [markdown]
# ## 11. Write the report
#
# ### CARD tvm_passes.report
#
# Write one page for a reader who decides what goes into the compiler:
#
# 1. The schedule: each step with its time before and after, how you measured it, and the reason for the gain.
# 2. The passes: what each one may assume, which property you tested on how many programs, and one program that it must not change.
# 3. The search: which decisions of the best trial differ from yours.
# 4. The limit: which share of it you reached, and what you would do next.
#
# ### HINTS tvm_passes.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 10, "solution": true, "task": false}
# ### BEGIN SOLUTION tvm_passes.report
# ### STUB Write your report here.
# **The schedule**, 512³ on one core of an AMD EPYC that others used too, steps measured in turn, the fastest of 9
# runs (4 for the slow ones):
#
# | step | ms |
# | --- | --- |
# | three loops | 870 |
# | tiles of 32 × 32, the same order inside | 929 |
# | the sum outside of the columns | 7.1 |
# | 8 × 32 sums in registers, vectors of 16 | 2.5 |
# | numpy | 2.9 |
#
# Tiles alone bring nothing: the innermost loop still goes down a column of B and waits for each sum. With the
# columns innermost, LLVM vectorizes them automatically. What is left is C, which goes through memory for
# each k; in registers it does not. On a quiet machine the first row would be smaller: it waits for memory that
# others use as well, so I would not claim a factor from it.
#
# **The search** decided, in the best of 32 trials, on tiles [16, 2, 4, 2], [1, 2, 8, 16] and [32, 8], without a
# cache for C. I would have taken wider rows.
#
# **The passes** I tried on random programs: with a second user of the product, with an alias, with a side that
# does not fit, where they must do nothing. Each was run twice, and the second run had nothing left to do.
#
# **The limit** is numpy's product, and it is reached. What remains is several cores, and sizes that are not
# multiples of the tile.
# ### END SOLUTION
