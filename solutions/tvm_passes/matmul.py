"""A matrix product from three loops to a fast one: on a CPU, on a GPU, and found by search."""

import json
from itertools import product
from pathlib import Path

import tvm
import tvm_ffi
from in_process import Builder, Runner
from ir_files import read_module, write_module
from tvm import s_tir, tirx
from tvm.ir.prim import Add, Mul
from tvm.s_tir import meta_schedule
from tvm.script import tirx as T


### BEGIN SOLUTION tvm_passes.naive_matmul naive
### STUB def naive_matmul(m, n, k):
### STUB     """A PrimFunc: C[m, n] = A[m, k] @ B[k, n] in float32, three loops, a block "C"."""
### STUB     raise NotImplementedError("tvm_passes.naive_matmul")
def naive_matmul(m, n, k):
    """A PrimFunc: C[m, n] = A[m, k] @ B[k, n] in float32, three loops, a block "C"."""

    @T.prim_func(s_tir=True)
    def matmul(
        A: T.Buffer((m, k), "float32"),
        B: T.Buffer((k, n), "float32"),
        C: T.Buffer((m, n), "float32"),
    ):
        T.func_attr({"global_symbol": "main", "tirx.noalias": True})
        for i, j, p in T.grid(m, n, k):
            with T.sblock("C"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, p])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]

    return matmul


### END SOLUTION


# What the judge calls: leave it as it is.
def save_naive(m, n, k, target):
    write_module(naive_matmul(m, n, k), target)


### BEGIN SOLUTION tvm_passes.naive_matmul read
### STUB def read_tir(source):
### STUB     """What a function of one block does, from its TIR: the notebook has the four answers.
### STUB
### STUB     source: path of a module with a function "main" around a block "out".
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.naive_matmul")
def read_tir(source):
    """What a function of one block does, from its TIR: the notebook has the four answers.

    source: path of a module with a function "main" around a block "out".
    """
    loops, node = [], read_module(source)["main"].body.block.body
    while isinstance(node, tirx.For):
        loops.append(node)
        node = node.body
    axes = list(zip(node.block.iter_vars, node.iter_values, strict=True))
    store = node.block.body
    summed = {v.name for a, v in axes if a.iter_type == tirx.IterVar.CommReduce}
    accesses = [(store.buffer, store.indices)]
    operations = []
    tvm_ffi.structural_walk(
        store.value,
        [
            (tvm.ir.TensorLoad, lambda load: accesses.append((load.source, load.indices))),
            ((Add, Mul), lambda op: operations.append("float" in str(op.ty.dtype))),
        ],
    )
    points = list(product(*(range(int(loop.extent)) for loop in loops)))
    touched = {}
    for point in points:
        at = {loop.loop_var: value for loop, value in zip(loops, point, strict=True)}
        at.update({axis.var: number(value, at) for axis, value in axes})
        for buffer, indices in accesses:
            place = tuple(number(index, at) for index in indices)
            touched.setdefault(buffer, set()).add(place)
    return {
        "loops": [[loop.loop_var.name, int(loop.extent)] for loop in loops],
        "reductions": sorted(summed),
        "bytes": {
            buffer.name: len(places) * tvm.DataType(str(buffer.dtype)).bits // 8
            for buffer, places in touched.items()
        },
        "flops": sum(operations) * len(points),
    }


def number(expression, at):
    """What an index is where its variables are `at`."""
    if isinstance(expression, Add):
        return number(expression.a, at) + number(expression.b, at)
    if isinstance(expression, Mul):
        return number(expression.a, at) * number(expression.b, at)
    return at[expression] if expression in at else int(expression)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.schedule
### STUB def schedule(source, target):
### STUB     """Read the naive product from `source`, schedule it for a CPU, write it to `target`.
### STUB
### STUB     m, n and k are multiples of 32.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.schedule")
def schedule(source, target):
    """Read the naive product from `source`, schedule it for a CPU, write it to `target`.

    m, n and k are multiples of 32.
    """
    sch = s_tir.Schedule(read_module(source))
    block = sch.get_sblock("C")
    # The sums of a tile live in registers until they are complete.
    sums = sch.cache_write(block, 0, "local")
    i, j, k = sch.get_loops(block)
    i_tile, i_row = sch.split(i, [None, ROWS])
    j_tile, j_vector, j_lane = sch.split(j, [None, COLUMNS // LANES, LANES])
    k_outer, k_inner = sch.split(k, [None, DEPTH])
    # Columns of B outermost: a strip of it stays in the cache while all rows of A pass by.
    sch.reorder(j_tile, i_tile, k_outer, k_inner, i_row, j_vector, j_lane)
    sch.reverse_compute_at(sums, i_tile)
    sch.vectorize(j_lane)
    for loop in (k_inner, i_row, j_vector):
        sch.unroll(loop)
    _, lane = sch.split(sch.get_loops(sums)[-1], [None, LANES])
    sch.vectorize(lane)
    sch.parallel(j_tile)
    start = sch.decompose_reduction(block, k_outer)
    *_, row, vector, _ = sch.get_loops(start)
    sch.unroll(row)
    sch.unroll(vector)
    write_module(sch.mod, target)


# A tile's sums: 8 × 32 floats are 16 registers of 16, of 32 that AVX-512 has.
ROWS, COLUMNS, LANES, DEPTH = 8, 32, 16, 4


### END SOLUTION


### BEGIN SOLUTION tvm_passes.cuda_source
### STUB def cuda_source(source, target):
### STUB     """Read the naive product from `source`, schedule it for a GPU, write it to `target`.
### STUB
### STUB     m, n and k are multiples of 64.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.cuda_source")
def cuda_source(source, target):
    """Read the naive product from `source`, schedule it for a GPU, write it to `target`.

    m, n and k are multiples of 64.
    """
    sch = s_tir.Schedule(read_module(source))
    block = sch.get_sblock("C")
    sums = sch.cache_write(block, 0, "local")
    copies = [sch.cache_read(block, index, "shared") for index in (0, 1)]
    i, j, k = sch.get_loops(block)
    i_block, i_thread, i_own = sch.split(i, [None, 16, 4])
    j_block, j_thread, j_own = sch.split(j, [None, 16, 4])
    k_outer, k_inner = sch.split(k, [None, 16])
    sch.reorder(i_block, j_block, i_thread, j_thread, k_outer, k_inner, i_own, j_own)
    sch.bind(i_block, "blockIdx.y")
    sch.bind(j_block, "blockIdx.x")
    sch.bind(i_thread, "threadIdx.y")
    sch.bind(j_thread, "threadIdx.x")
    sch.reverse_compute_at(sums, j_thread)
    sch.vectorize(sch.get_loops(sums)[-1])
    for copy in copies:
        # All threads of a block together bring a tile: each one four neighboring floats.
        sch.compute_at(copy, k_outer)
        together = sch.fuse(*sch.get_loops(copy)[-2:])
        _, y, x, four = sch.split(together, [None, 16, 16, 4])
        sch.bind(y, "threadIdx.y")
        sch.bind(x, "threadIdx.x")
        sch.vectorize(four)
    sch.unroll(k_inner)
    sch.decompose_reduction(block, k_outer)
    write_module(sch.mod, target)


### END SOLUTION


### BEGIN SOLUTION tvm_passes.tune explain
### STUB def explain(workload, trials):
### STUB     """What a recorded tuning found, from the database's two files.
### STUB
### STUB     workload, trials: paths of files as recorded_workload.json and recorded_trials.json.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.tune")
def explain(workload, trials):
    """What a recorded tuning found, from the database's two files.

    workload, trials: paths of files as recorded_workload.json and recorded_trials.json.
    """
    records = [json.loads(line)[1] for line in Path(trials).read_text().splitlines()]
    means = [sum(times) / len(times) for _, times, *_ in records]
    good = [mean for mean in means if mean < FAILED_S]
    best = min(range(len(means)), key=means.__getitem__)
    (instructions, decisions), *_ = records[best]
    decided = dict(decisions)
    # A decision belongs to the instruction with its number, not to the one at its own place.
    loops, tiles, sampled, unroll, values = [], {}, {}, None, {}
    for number, (kind, inputs, attributes, outputs) in enumerate(instructions):
        if kind == "GetLoops" and not loops:
            loops = outputs
        if kind.startswith("Sample"):
            sampled[kind] = sampled.get(kind, 0) + 1
        if kind == "SamplePerfectTile":
            tiles["ijk"[loops.index(inputs[0])]] = decided[number]
        if kind == "SampleCategorical":
            values[outputs[0]] = attributes[0][decided[number]]
        if kind == "Annotate" and attributes == ["meta_schedule.unroll_explicit"]:
            unroll = values[inputs[1]]
    return {
        "best": best,
        "failed": len(means) - len(good),
        "speed_up": good[0] / means[best],
        "tiles": tiles,
        "sampled": sampled,
        "unroll": unroll,
    }


FAILED_S = 1e9


### END SOLUTION


def tune(source, folder, trials=16, cost_model="random"):
    """Search for a schedule of the module in `source`; the database's two files in `folder`."""
    return meta_schedule.tune_tir(
        read_module(source),
        target=tvm.target.Target({"kind": "llvm", "num-cores": 2}),
        work_dir=str(folder),
        max_trials_global=trials,
        num_trials_per_iter=16,
        builder=Builder(),
        runner=Runner(),
        cost_model=cost_model,
        seed=1,
    )


### BEGIN SOLUTION tvm_passes.tune replayed
### STUB def replayed(source, target):
### STUB     """Apply your best trace to the naive 256³ product in `source`; write it to `target`.
### STUB
### STUB     `record.as_measure_candidate().sch.trace.show()` prints a trace as Python.
### STUB     """
### STUB     raise NotImplementedError("tvm_passes.tune")
def replayed(source, target):
    """Apply your best trace to the naive 256³ product in `source`; write it to `target`.

    The best of the recorded trials, as its trace is printed, with names for its variables.
    """
    sch = s_tir.Schedule(read_module(source))
    block = sch.get_sblock("C")
    i, j, k = sch.get_loops(block)
    i0, i1, i2, i3 = sch.split(i, sch.sample_perfect_tile(i, 4, 64, decision=[16, 2, 4, 2]))
    j0, j1, j2, j3 = sch.split(j, sch.sample_perfect_tile(j, 4, 64, decision=[1, 2, 8, 16]))
    k0, k1 = sch.split(k, sch.sample_perfect_tile(k, 2, 64, decision=[32, 8]))
    # "SSRSRS": two levels of rows and columns, the sum, one more level, the sum, the last level.
    sch.reorder(i0, j0, i1, j1, k0, i2, j2, k1, i3, j3)
    outer = sch.fuse(i0, j0, i1)
    sch.parallel(outer)
    sch.vectorize(j3)
    sch.annotate(outer, "pragma_auto_unroll_max_step", 16)
    sch.annotate(outer, "pragma_unroll_explicit", 1)
    sch.decompose_reduction(block, k0)
    write_module(sch.mod, target)


### END SOLUTION
