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
# # SSA and compiler passes
#
# You write a small compiler: it lowers a Python function to basic blocks and jumps, converts them to SSA form, verifies
# the result, and removes redundant computation. Each pass is a function from a program to a program. The judge tests it on
# two hundred programs that it generates for each check.
#
# How it works here:
#
# - You write in the Python files next to this notebook, where a line says `### TASK …`. Save, and run the cell with
#   `check(…)` here.
# - Programs travel as text. `ir.py` holds the language: read its first page now. `@ir.on_text` lets your pass work on a
#   `Function`; what the judge sees is the text.
# - When a program is short enough, the judge's message shows it, with ⏎ for each new line, and the call that fails.
# - No GPU is needed. Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `ir.py` | the language: parser, printer, interpreter |
# | `lowering.py`, `dominance.py`, `to_ssa.py`, `verify.py` | conversion to SSA form: tasks 1 to 4 |
# | `dead_code.py`, `fold.py`, `common.py`, `simplify.py`, `hoist.py` | passes: tasks 5 to 9 |
# | `leave.py` | out of SSA form: task 10 |
# | `memory_plan.py`, `fuse.py` | memory planning, and operator fusion: tasks 11 and 12 |
# | `fx_pass.py`, `fx_text.py` | a pass in torch.fx, and its graphs as text: task 13 |
# | `xdsl_pass.py`, `mlir_pass.py` | the same pass in xDSL and through MLIR's bindings: tasks 14 and 15 |
# | `fix_passes.py`, `fix_dialect.py` | passes for a dialect of your own, and the dialect: task 16 |
# | `shapes.py` | types and shapes: task 17 |
# | `pir_pass.py` | from Python to PaddlePaddle's PIR, and the pass there: task 18 |
# | `small_classifier.py`, `stripes.py` | a classifier to shrink in PaddlePaddle, and its images: task 19 |
# | `mobilenet.py` | MobileNet, and Paddle's own passes: task 20 |
# | `ir_drawing.py`, `tensor_drawing.py` | programs and graphs drawn in this notebook |

# %%
import importlib

import ir
import ir_drawing
from hotloop import check
from IPython.display import SVG


def fresh(file, name):
    """Your function, as the file has it now."""
    return getattr(importlib.reload(importlib.import_module(file)), name)


# %% [markdown]
# # Part 1: From Python to SSA, and the classic passes
#
# About 11½ hours.

# %% [markdown]
# ## 1. From Python to basic blocks
#
# ### CARD ssa_passes.lowering
#
# A compiler cannot do much with a tree of statements, because `break` and `return` leave it from the middle. A *control-flow graph* has
# only blocks, which run from beginning to end, and jumps between them.
#
# Write `lower(source)` in `lowering.py`. It takes the text of a Python function and returns the text of a program in blocks; variables may
# still be assigned more than once. The comment at the top of the file defines the supported subset of Python. Note:
#
# - the second operand of `and` and `or` is computed only where the first one does not decide the result;
# - the bounds of `range(…)` are computed once, and assignments to the loop variable in the body do not change the number of iterations; if
#   there is no iteration, the variable keeps its old value;
# - nothing may jump to the first block, and every block must be reachable.
#
# Predict first: how many blocks does the function below need?
#
# ### HINTS ssa_passes.lowering

# %%
source = """
def f(n: int, d: int) -> int:
    s = 0
    for i in range(n):
        if d != 0 and i % d == 0:
            continue
        s = s + i * 2
    return s
"""
blocks = fresh("lowering", "lower")(source)
SVG(ir_drawing.graph(blocks, titles=["blocks"]))

# %%
print(ir.run(ir.parse(blocks), [10, 3]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "lowering", "locked": true, "points": 9, "solution": false, "task": false}
check("ssa_passes.lowering")

# %% [markdown]
# ## 2. Dominators and dominance frontiers
#
# ### CARD ssa_passes.dominance
#
# Block *d* **dominates** *b* if every path from the entry to *b* passes through *d*. Its **dominance frontier** is where that ends: the
# blocks *b* such that *d* dominates a predecessor of *b*, but does not strictly dominate *b*. The blocks that *d* dominates see only the
# assignments in *d*; in the frontier another assignment may arrive.
#
# Write in `dominance.py`, for a graph as a dict from each block to its successors:
#
# - `immediate_dominators(graph, entry)`: for each reachable block, the nearest strict dominator; `None` for the entry;
# - `dominance_frontiers(graph, entry)`: for each reachable block, a sorted list.
#
# Unreachable blocks are in neither answer, and do not count as predecessors. Predict: is a loop's header in its own frontier?
#
# ### HINTS ssa_passes.dominance

# %%
graph = ir.parse(blocks).graph
print(fresh("dominance", "immediate_dominators")(graph, "b0"))
print(fresh("dominance", "dominance_frontiers")(graph, "b0"))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "dominance", "locked": true, "points": 8, "solution": false, "task": false}
check("ssa_passes.dominance")

# %% [markdown]
# ## 3. SSA construction
#
# ### CARD ssa_passes.to_ssa
#
# In **static single assignment** form each name has one definition, and the definition dominates its uses. Where paths with different
# values of one variable meet, a *phi* selects the value by the path that was taken. All phis of a block read before any of them writes.
#
# Write `to_ssa(function)` in `to_ssa.py`. The result has no `copy`, and a phi only where two definitions meet (the iterated dominance
# frontier of all assignments) *and* the variable is live there (it may still be read). It uses your task 2. Names ending in `_1`, `_2` are
# free.
#
# ### HINTS ssa_passes.to_ssa

# %%
single = fresh("to_ssa", "to_ssa")(blocks)
SVG(ir_drawing.graph(blocks, single, titles=["blocks", "SSA"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "to_ssa", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.to_ssa")

# %% [markdown]
# ## 4. An SSA verifier
#
# ### CARD ssa_passes.verify
#
# A verifier runs after every pass, so that a mistake is found right after the pass that made it. Write `verify(text)` in `verify.py`: a
# list of
# `[kind, where]`, each once:
#
# | kind | when | where |
# | --- | --- | --- |
# | `redefined` | a name has more than one definition; a parameter is one | the name |
# | `undefined` | a name is read that has no definition | the name |
# | `dominance` | a name with one definition is read where the definition does not dominate. A phi reads at the end of the block that the value comes from. In unreachable blocks every read is valid | the name |
# | `phi` | its labels are not the predecessors of its block, each once; or another instruction than a phi precedes it | the phi's name |
# | `type` | all operands of an instruction have one definition each, but it does not accept their types, or its result has another type than declared | its result, or the label of its block if it has none |
#
# Labels and numbers of arguments are already correct. `result_type` in the file says what types each operation takes.
#
# ### HINTS ssa_passes.verify

# %%
print(fresh("verify", "verify")(single))
print(fresh("verify", "verify")("func f(a: int) -> int\nb0:\n  t: int = add a u\n  return t\n"))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "verify", "locked": true, "points": 9, "solution": false, "task": false}
check("ssa_passes.verify")

# %% [markdown]
# ## 5. Dead-code elimination
#
# ### CARD ssa_passes.dead_code
#
# From here on each task is a pass on SSA form. Each is judged in the same four ways: sound, observably the same, idempotent, complete.
# Observable are the printed values, in order; the result; and whether the program trapped.
#
# Write `dead_code(function)` in `dead_code.py`. An instruction is dead if removing it changes nothing observable. A division of ints traps
# if its divisor is 0; only a constant divisor other than 0 guarantees that it does not. Blocks and jumps stay.
#
# ### HINTS ssa_passes.dead_code

# %%
example = """
func f(a: int, b: int) -> int
b0:
  unused: int = mul a 2
  seen: int = div a b
  jump b1
b1:
  i: int = phi b0 0 b2 j
  dead: int = phi b0 0 b2 more
  go: bool = lt i a
  branch go b2 b3
b2:
  j: int = add i 1
  more: int = add dead i
  jump b1
b3:
  return i
"""
after = fresh("dead_code", "dead_code")(example)
SVG(ir_drawing.graph(example, after, titles=["before", "after: brown is gone"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "dead_code", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.dead_code")

# %% [markdown]
# ## 6. Constant folding and propagation
#
# ### CARD ssa_passes.fold
#
# Write `fold(function)` in `fold.py`. In its result
#
# - no pure operation has only constant operands, unless it traps;
# - no branch has a constant condition, or the same target twice;
# - no unreachable block is left, and phis have no entries for removed blocks;
# - no phi has only one value (not counting the phi itself).
#
# Blocks need not be merged. `ir.evaluate(op, values)` computes exactly what the machine computes.
#
# ### HINTS ssa_passes.fold

# %%
example = """
func f(a: int) -> int
b0:
  t: int = mul 3 4
  c: bool = lt t 10
  branch c b1 b2
b1:
  u: int = div a 0
  jump b2
b2:
  v: int = phi b0 t b1 u
  return v
"""
after = fresh("fold", "fold")(example)
SVG(ir_drawing.graph(example, after, titles=["before", "after"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fold", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.fold")

# %% [markdown]
# ## 7. Common-subexpression elimination
#
# ### CARD ssa_passes.common
#
# Write `common(function)` in `common.py`. In its result no pure operation repeats the operation and arguments of another one that dominates
# it, also not with the arguments of an operation in `ir.COMMUTATIVE` in another order; and no two phis of a block are the same. Constants
# that are written differently are different: `1` is an int and `1.0` is not, `0.0` is not `-0.0`. A division that traps may be replaced
# like any other: the first one has already trapped.
#
# ### HINTS ssa_passes.common

# %%
example = """
func f(a: int, b: int) -> int
b0:
  s: int = add a b
  c: bool = lt s 10
  branch c b1 b2
b1:
  t: int = mul a a
  u: int = add b a
  print t
  jump b3
b2:
  v: int = mul a a
  print v
  jump b3
b3:
  w: int = phi b1 u b2 s
  x: int = mul a a
  y: int = add w x
  return y
"""
after = fresh("common", "common")(example)
SVG(ir_drawing.graph(example, after, titles=["before", "after"]))

# %% [markdown]
# Why is `x` still computed, although both paths to it have already computed it? Which other pass would find it?

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "common", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.common")

# %% [markdown]
# ## 8. Algebraic simplification
#
# ### CARD ssa_passes.simplify
#
# School algebra is about numbers. A compiler has 64-bit ints and IEEE floats. Write `simplify(function)` in `simplify.py`; in its result
# nothing of this list is left, and nothing else was changed:
#
# | of | gives |
# | --- | --- |
# | ints: `x + 0`, `x - 0`, `x * 1`, `x div 1` | `x` |
# | ints: `x * 0`, `x - x`, `x mod 1`, `x mod -1` | `0` |
# | ints: `x` compared with `x` | `true` or `false` |
# | floats: ones that hold for **every** `x`, of `x + 0.0`, `x + -0.0`, `x - 0.0`, `x - -0.0`, `x * 1.0`, `x / 1.0` | `x` |
# | floats: ones that hold for every `x`, of `x < x`, `x > x`, `x <= x`, `x >= x`, `x == x`, `x != x` | `true` or `false` |
# | bools: `and`, `or` with `true`, `false` or the same; `eq`, `ne` with the same | |
# | `select c x x` | `x` |
#
# For operations in `ir.COMMUTATIVE`, both operand orders count. Which of the float lines hold is for you to find out.
#
# ### HINTS ssa_passes.simplify

# %%
example = """
func f(a: int, x: float) -> float
b0:
  t: int = mul a 1
  u: int = sub t a
  v: float = add x 0.0
  w: float = sub v 0.0
  z: float = float u
  y: float = mul w z
  return y
"""
after = fresh("simplify", "simplify")(example)
print(after)
for x in (-0.0, float("nan"), float("inf")):
    print(x, [ir.run(ir.parse(text), [3, x])[1] for text in (example, after)])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "simplify", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.simplify")

# %% [markdown]
# ## 9. Loop-invariant code motion
#
# ### CARD ssa_passes.hoist
#
# Write `hoist(function)` in `hoist.py`. In its result no natural loop contains a pure operation that cannot trap and whose arguments are
# all defined outside the loop. (The loops of one header count as one.) If a loop has no preheader, a block outside it whose only successor
# is the header, it gets one.
#
# A division that may trap stays: the loop may run zero iterations, or print something before it. `select` is pure: it computes both of its
# values.
#
# ### HINTS ssa_passes.hoist

# %%
example = """
func f(a: int, b: int, n: int) -> int
b0:
  c: bool = lt a b
  branch c b1 b3
b1:
  i: int = phi b0 0 b2 j
  go: bool = lt i n
  branch go b2 b3
b2:
  t: int = mul a b
  u: int = div t b
  j: int = add i u
  jump b1
b3:
  r: int = phi b0 a b1 i
  return r
"""
after = fresh("hoist", "hoist")(example)
SVG(ir_drawing.graph(example, after, titles=["before", "after"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "hoist", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.hoist")

# %% [markdown]
# Run all of them in a row on the function from the beginning. Which order is best? Does it matter how often they run?

# %%
program = ir.parse(single)
for file, name in [
    ("fold", "fold"),
    ("simplify", "simplify"),
    ("common", "common"),
    ("hoist", "hoist"),
    ("dead_code", "dead_code"),
]:
    program = fresh(file, name)(program)
    print(f"{name:10} {len(program.instrs):3} instructions, {ir.run(program, [50, 3])[2]} executed")
SVG(ir_drawing.graph(single, str(program), titles=["SSA", "optimized"]))

# %% [markdown]
# ## 10. SSA destruction
#
# ### CARD ssa_passes.leave_ssa
#
# No machine has a phi. Instead, the end of each predecessor has copies, `x: int = copy y`, and a name may be assigned more than once. Write
# `leave(function)` in `leave.py`: the same function without phis. Note:
#
# - all phis of a block read before any of them writes, but copies run one after the other;
# - code at the end of a block runs whichever successor follows;
# - use no more copies than needed: on each edge one for each phi whose operand is not the phi itself, and one more for each cycle of names
#   that are permuted.
#
# Predict: what does the program below print? And what would it print if each phi simply became a copy, in the order of the text?
#
# ### HINTS ssa_passes.leave_ssa

# %%
example = """
func f(n: int) -> int
b0:
  jump b1
b1:
  a: int = phi b0 1 b1 b
  b: int = phi b0 2 b1 a
  i: int = phi b0 0 b1 j
  j: int = add i 1
  go: bool = lt j n
  branch go b1 b2
b2:
  print a
  return i
"""
after = fresh("leave", "leave")(example)
print([ir.run(ir.parse(text), [4])[:2] for text in (example, after)])
SVG(ir_drawing.graph(example, after, titles=["SSA", "with copies"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "leave_ssa", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.leave_ssa")

# %% [markdown]
# # Part 2: Memory, fusion and passes in frameworks
#
# About 14 hours.

# %% [markdown]
# ## 11. Memory planning
#
# ### CARD ssa_passes.plan_memory
#
# In a graph of tensors, SSA gives each result a name, and the scarce resource is memory. Liveness says from which step to which step a
# tensor must be in memory; two tensors that are never live together can share their bytes. The largest sum of bytes that are live at once
# is a lower bound for the memory, and the order of the steps decides how large it is.
#
# Write in `memory_plan.py`, for graphs as its first page describes them:
#
# - `plan(text)`: a dict from each tensor, inputs too, to its offset in bytes, for the order of steps that is given;
# - `best_order(text)`: the names of the steps' tensors in an order with the smallest peak of all orders. At most seven steps.
#
# Predict for the cell below: which of `a` and `c` should be made first?
#
# ### HINTS ssa_passes.plan_memory

# %%
import json

small = json.dumps(
    {
        "inputs": ["x"],
        "outputs": ["e"],
        "sizes": {"x": 8, "a": 64, "b": 32, "c": 128, "d": 8, "e": 8},
        "steps": [["a", ["x"]], ["c", ["x"]], ["b", ["a"]], ["d", ["c"]], ["e", ["b", "d"]]],
    }
)
import tensor_drawing

best = fresh("memory_plan", "best_order")(small)
steps = dict(json.loads(small)["steps"])
turned = json.dumps(json.loads(small) | {"steps": [[made, steps[made]] for made in best]})
plan = fresh("memory_plan", "plan")
print(best)
SVG(tensor_drawing.memory(small, plan(small), titles=["as given"]))

# %%
SVG(tensor_drawing.memory(turned, plan(turned), titles=["in the best order"]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "plan_memory", "locked": true, "points": 11, "solution": false, "task": false}
check("ssa_passes.plan_memory")

# %% [markdown]
# ## 12. Operator fusion
#
# ### CARD ssa_passes.fuse
#
# Each step of a graph of tensors could be a kernel of its own: it loads its inputs and stores its result. Two steps in one kernel pass each
# element in a register. `fuse.py` defines at its top what a kernel may contain: one loop; at most one matmul, which begins it; and sums,
# which are complete only when the kernel has ended. A tensor that is read outside is still stored.
#
# Write in `fuse.py`, for graphs in its format:
#
# - `fuse(text)`: kernels, as lists of names, in an order in which they can run; no two of them are left that could form one kernel and move
#   fewer bytes;
# - `best(text)`: the same, moving the fewest bytes of all partitions into kernels. At most six steps.
#
# Two steps may form one kernel by themselves, and still not in this graph. Predict: may `e` and `d` below be one kernel? May `p` and `q`?
#
# ### HINTS ssa_passes.fuse

# %%
graph = json.dumps(
    {
        "inputs": {"x": [4, 8], "v": [8, 8], "w": [8, 8]},
        "outputs": ["r"],
        "steps": [
            ["e", "exp", ["x"], [4, 8]],
            ["s", "sum", ["e"], [4, 1]],
            ["d", "mul", ["e", "s"], [4, 8]],
            ["p", "matmul", ["d", "v"], [4, 8]],
            ["q", "relu", ["p"], [4, 8]],
            ["r", "add", ["q", "d"], [4, 8]],
        ],
    }
)
alone = [[made] for made, *_ in json.loads(graph)["steps"]]
fused = fresh("fuse", "fuse")(graph)
moved = fresh("fuse", "moved")
parsed = fresh("fuse", "read")(graph)
titles = [f"{len(k)} kernels, {moved(parsed, k)} bytes" for k in (alone, fused)]
SVG(tensor_drawing.kernels(graph, alone, fused, titles=titles))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fuse", "locked": true, "points": 11, "solution": false, "task": false}
check("ssa_passes.fuse")

# %% [markdown]
# ## 13. CSE and DCE in torch.fx
#
# ### CARD ssa_passes.torch_fx
#
# `torch.fx` represents a PyTorch program as a list of nodes, each with its own name. That looks like SSA, but only the names are
# single-assignment: `add_` writes into a tensor that an earlier node produced, and `rand_like` draws the next number of a generator. Write
# `clean(graph)` in `fx_pass.py`: it merges and removes pure nodes (`fx_text.PURE`) such that
#
# - the returned values and the final contents of the inputs are the same; writes and `rand_like` stay, as many and in the same order;
# - no unused pure node is left;
# - no two pure nodes are left with the same operation on the same memory in the same state, if neither result is ever written to. `add` and
#   `mul` count in either operand order.
#
# Predict: what does `graph.eliminate_dead_code()` do to the graph below?
#
# ### HINTS ssa_passes.torch_fx

# %%
import fx_text

written = """inputs x y
a = add x y
b = add y x
c = mul a y
d = mul_ x y
e = add x y
return b e
"""
cleaned = fresh("fx_pass", "clean_text")(written)
SVG(tensor_drawing.lines(written, cleaned, titles=["before", "after"]))

# %%
theirs = fx_text.read(written)
theirs.eliminate_dead_code()
print(fx_text.write(theirs))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "torch_fx", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.torch_fx")

# %% [markdown]
# ## 14. CSE and DCE in xDSL
#
# ### CARD ssa_passes.xdsl
#
# [xDSL](https://docs.xdsl.dev) is MLIR in Python: operations have operands, results, attributes, and **regions**, which contain blocks of
# more operations. An `scf.if` has two regions, so there are no jumps, and dominance follows from nesting: a value is visible after its
# operation and in all nested regions, not outside of its own region. A value is an object, and `uses` lists its uses.
#
# Write `clean(module)` in `xdsl_pass.py`. In its result no unused pure operation is left, no unused `scf.if` without effect, and no pure
# operation that repeats an earlier one: the same operation, operands (in either order where it is in `COMMUTATIVE`), attributes and type.
#
# Useful: `op.name`, `op.operands`, `op.results`, `op.properties`, `op.regions`, `region.blocks`, `block.ops`; `value.uses`, `value.replace_all_uses_with(other)`; `op.detach()`, then `op.erase()`.
#
# This task needs the group `xdsl`: `pip install 'hotloop[xdsl]'`.
#
# ### HINTS ssa_passes.xdsl

# %%
program = """
func.func private @print(i64)
func.func @f(%a: i64, %b: i64, %c: i1) -> i64 {
  %s = arith.addi %a, %b : i64
  %r = scf.if %c -> (i64) {
    %t = arith.addi %b, %a : i64
    %m = arith.muli %t, %t : i64
    func.call @print(%m) : (i64) -> ()
    scf.yield %t : i64
  } else {
    %m = arith.muli %s, %s : i64
    scf.yield %m : i64
  }
  %m = arith.muli %s, %s : i64
  %d = arith.subi %m, %r : i64
  return %r : i64
}
"""
print(fresh("xdsl_pass", "clean")(fresh("xdsl_pass", "read")(program)))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "xdsl", "locked": true, "points": 9, "solution": false, "task": false}
check("ssa_passes.xdsl")

# %% [markdown]
# ## 15. CSE and DCE with MLIR's Python bindings
#
# ### CARD ssa_passes.mlir
#
# The same text and the same pass; now the graph belongs to MLIR, and Python holds handles to it. Write `clean(module)` in `mlir_pass.py`.
# The difference from xDSL: `block.operations` returns views, and `view.operation` has `name`, `operands`, `results`, `attributes`,
# `regions`, `erase()`. Do not use a handle to an erased operation: its C++ memory is freed.
#
# MLIR has a pass `cse`. Run it on the program above before you begin: does it solve this task?
#
# This task needs the group `xla`, whose jaxlib holds the bindings, and `xdsl`, with which the judge reads your result: `pip install 'hotloop[xla,xdsl]'`.
#
# ### HINTS ssa_passes.mlir

# %%
print(fresh("mlir_pass", "clean")(fresh("mlir_pass", "read")(program)))

# %%
from jaxlib.mlir.passmanager import PassManager

module = fresh("mlir_pass", "read")(program)
with module.context:
    PassManager.parse("builtin.module(cse)").run(module.operation)
print(module)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "mlir", "locked": true, "points": 9, "solution": false, "task": false}
check("ssa_passes.mlir")

# %% [markdown]
# ## 16. A dialect of your own: verifier, rewrite patterns, lowering
#
# ### CARD ssa_passes.dialect
#
# A compiler has dialects that express what users mean, and lowers them step by step to machine operations. `fix_dialect.py` defines one in
# xDSL, for fixed-point numbers as quantized models use them: a `!fix.num<8>` is an i64 with 8 fractional bits. Read its first page, which
# defines what each operation computes. In `fix_passes.py` you write the three parts that a dialect needs:
#
# - `check(op)`, its **verifier**: a number has 0 to 62 fractional bits; a constant's `value` is an i64; a sum has the type of both
#   operands; a product's fractional bits are the sum of its operands'. It raises a `VerifyException` for any other operation. xDSL calls it
#   for each operation of the dialect when a module is verified, after it has checked the number of operands and their kinds.
# - `simplify(module)`, with **rewrite patterns**, until none matches any more. **The bits must be the same for every input**, overflow
#   included. The patterns:
#   - remove a rescale to the same type;
#   - merge two rescales in the same direction;
#   - remove the addition of a constant of bits 0;
#   - remove the multiplication by a constant of bits 1 *without fractional bits*;
#   - remove a pack of an unpack if the type is the same, and an unpack of a pack always;
#   - remove an operation of the dialect whose result is unused.
# - `lower(module)`, a **conversion** to `arith` on i64: no operation and no type of `fix` is left, nor in the result of an `scf.if`. An
#   addition becomes `arith.addi`, a product `arith.muli`, a rescale `arith.shli` or `arith.shrsi` by a constant; pack and unpack become
#   nothing.
#
# *Predict first*: of the four combinations of two rescales (up or down, then up or down), which may be merged?
#
# This task needs the group `xdsl`, as task 14 does.
#
# ### HINTS ssa_passes.dialect

# %%
fixed = """
func.func @f(%a: i64, %b: i64, %c: i1) -> i64 {
  %x = "fix.pack"(%a) : (i64) -> !fix.num<8>
  %m = "fix.mul"(%x, %x) : (!fix.num<8>, !fix.num<8>) -> !fix.num<16>
  %r = scf.if %c -> (!fix.num<4>) {
    %p = "fix.rescale"(%m) : (!fix.num<16>) -> !fix.num<10>
    %q = "fix.rescale"(%p) : (!fix.num<10>) -> !fix.num<4>
    scf.yield %q : !fix.num<4>
  } else {
    %q = "fix.rescale"(%x) : (!fix.num<8>) -> !fix.num<4>
    scf.yield %q : !fix.num<4>
  }
  %u = "fix.unpack"(%r) : (!fix.num<4>) -> i64
  return %u : i64
}
"""
print(fresh("fix_passes", "verify_text")(fixed))
print(fresh("fix_passes", "simplify_text")(fixed))
print(fresh("fix_passes", "lower_text")(fixed))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "dialect", "locked": true, "points": 11, "solution": false, "task": false}
check("ssa_passes.dialect")

# %% [markdown]
# ## 17. Type and shape inference
#
# ### CARD ssa_passes.infer
#
# Converting dynamic Python to static code begins here: what is the type of each value before there is a value? Write `infer(text)` in
# `shapes.py`; its first page defines what each operation takes and returns. An extent can be a name, such as a batch of `n`. If an
# operation does not fit, or if that depends on the value of a name, the answer is the first such step and the reason.
#
# Predict: what is `[n, 4] + [n, 1]`, what is `[n, 4] + [4]`, and what is `[n] + [4]`?
#
# ### HINTS ssa_passes.infer

# %%
for other in (["n", 1], [4], ["m", 4], [3]):
    typed = {"x": ["float32", ["n", 4]], "y": ["int64", other]}
    steps = [["z", "add", ["x", "y"], {}], ["s", "sum", ["z"], {"axis": -1}]]
    print(other, fresh("shapes", "infer")(json.dumps({"inputs": typed, "steps": steps})))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "infer", "locked": true, "points": 8, "solution": false, "task": false}
check("ssa_passes.infer")

# %% [markdown]
# ## 18. A pass on PaddlePaddle's PIR
#
# ### CARD ssa_passes.pir
#
# `paddle.jit.to_static` reads the *source* of a function and rewrites it: an `if` on a tensor becomes an operation `pd_op.if` with two
# blocks. The result is PIR, Paddle's graph in SSA form, with regions as in MLIR.
#
# In `pir_pass.py` write `captured(f)`: the program of `f(a, b, c)`, for tensors without extents, `a` and `b` of int64, `c` of bool, which fetches what `f` returns. Then `clean(program)`, as in task 14: its result has no pure operation
# whose result is unused, no unused `pd_op.if` without effect, and no pure operation that repeats an earlier one. Inputs stay. A print is an effect; its result is never used.
#
# Useful: `InputSpec([], dtype, name)`, `static.concrete_program` with its `main_program` and `outputs`; `program.global_block()`,
# `block.ops`, `block.remove_op(op)`; `op.name()`, `op.operands()`, `operand.source()`, `op.results()`, `op.attrs()`, `op.blocks()`;
# `value.id`, `value.use_empty()`, `value.replace_all_uses_with(other)`. All of it is C++ memory. If you remove an operation that is still
# read, for instance from another block, the process crashes, and the judge can only report that it ended.
#
# Predict before you run the last cell: Paddle has a pass for each half of this. Is the print still there?
#
# This task needs the group `paddle`: `pip install 'hotloop[paddle]'`.
#
# ### HINTS ssa_passes.pir

# %%
paddle_source = """
def f(a, b, c):
    s = a + b
    if c:
        t = b + a
        print(t)
        r = t * t
    else:
        r = s
    unread = s * s
    return r
"""
pir_program = fresh("pir_pass", "captured")(fresh("pir_pass", "function")(paddle_source))
print(pir_program)

# %%
print(fresh("pir_pass", "clean")(pir_program))

# %%
import paddle

theirs = fresh("pir_pass", "captured")(
    fresh("pir_pass", "function")(paddle_source.replace("return r", "return s"))
)
manager = paddle.pir.PassManager()
for name in ("common_subexpression_elimination_pass", "dead_code_elimination_pass"):
    manager.add_pass(name, {})
manager.run(theirs)
print(theirs)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "pir", "locked": true, "points": 11, "solution": false, "task": false}
check("ssa_passes.pir")

# %% [markdown]
# ## 19. Optimize a PaddlePaddle image classifier
#
# ### CARD ssa_passes.classifier
#
# Passes change how a result is computed, not the result. Networks tolerate more: fewer bytes with almost the same answers. Write three
# functions in `small_classifier.py`; a network is a dict of numpy arrays, and the file's first page lists them.
#
# - `folded(arrays)`: without the batch norms, the same function of an image. All arrays stay float32.
# - `quantized(arrays)`: of a network without batch norm, whose biases stay unchanged; weights int8 from -127 to 127, and a float32 scale
#   above 0 for each *output* channel: `conv1.scale`, `conv2.scale`, `linear.scale`. Each weight times its scale is at most half a step from
#   its old value; a channel's step is its largest absolute weight divided by 127. A channel may be all 0.
# - `pruned(arrays, images, labels, most_bytes)`: of a trained network *with* batch norm, one *without* that has fewer channels, float32 or int8, trained again on the images given. It has 120 seconds. The judge counts the
#   bytes of all arrays, and then the right answers on unseen images.
#
# Your budget is a tenth of the bytes. Predict: 16 and 32 channels become 9 and 18. How many of the weights are left? And of 100 correct
# answers, how many are still correct before the rest is trained again?
#
# This task needs the group `paddle`: `pip install 'hotloop[paddle]'`.
#
# ### HINTS ssa_passes.classifier

# %%
import stripes
import tensor_drawing

clean, labels = stripes.drawn(0, 4, noise=0)
noisy, _ = stripes.drawn(0, 4)
titles = [f"class {label}" for label in labels] + ["as it is seen"] * 4
SVG(tensor_drawing.images([*clean, *noisy], titles))

# %%
import small_classifier

images, labels = stripes.drawn(0, 2000)
given = small_classifier.trained(images, labels)

# %%
classifier = importlib.reload(small_classifier)
slim = classifier.folded(given)
whole = classifier.quantized(slim)
fewest = classifier.pruned(given, images[:1000], labels[:1000], classifier.size(slim) // 10)
unseen = stripes.drawn(1, 1000)
rows = [
    (title, classifier.size(arrays), classifier.accuracy(arrays, *unseen))
    for title, arrays in {"given": given, "folded": slim, "int8": whole, "pruned": fewest}.items()
]
SVG(tensor_drawing.bars(rows))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "classifier", "locked": true, "points": 10, "solution": false, "task": false}
check("ssa_passes.classifier")

# %% [markdown]
# ## 20. Rewrite, prune and quantize MobileNet with Paddle's passes
#
# ### CARD ssa_passes.mobilenet
#
# The last classifier was small, and its passes were yours. This one is published, `paddle.vision.models.mobilenet_v1` at a quarter of its width, and the passes are the framework's. Each of its 27 convolutions has a batch norm; 13 are
# *depthwise*, with a group for each channel. Write four functions in `mobilenet.py`. The judge trains a network, gives you its arrays and labeled pictures, and computes on hidden pictures with what you write. A call may take 150 seconds.
#
# - `rewritten(path, target)`: a program with the same logits in which no batch norm is left, neither as an operation nor as products beside the layers. `paddle.pir.PassManager` runs Paddle's passes on a program. Three are enough: `conv2d_bn_fuse_pass`, `dead_code_elimination_pass`, and one for depthwise convolutions that is made for oneDNN.
# - `passes_for_cpu()`: the passes, by name and in order, that Paddle Inference runs on the published program before the judge times it (`Config.enable_custom_passes`). No other pass runs. The passes for a CPU have `onednn` in their names, except `conv2d_bias_fuse_pass`; Paddle's source lists them in `paddle_pass_builder.cc`.
# - `pruned(path, pictures, target)`: the network's arrays, trained again. At most two in each group of four along the inputs are not 0, wherever `paddle.incubate.asp` prunes: 1×1 convolutions and the linear layer.
# - `quantized(path, pictures, target)`: the arrays of the network that `paddle.quantization.PTQ` converts, under the names of its `state_dict`: for each of 28 layers an int8 weight with the scale of its dequantizer, and the scales of its input's quantizer and dequantizer, one number each, as `AbsmaxObserver` computes them. The rest stays in float32.
#
# **Predict:** of 27 batch norms, how many does `conv2d_bn_fuse_pass` remove? Masks are computed, and then the network trains for one step with an optimizer that knows nothing of them: how many weights are 0 afterwards? How many bytes do PTQ's weights take?
#
# This task needs the group `paddle`, too.
#
# ### HINTS ssa_passes.mobilenet

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "mobilenet", "locked": true, "points": 14, "solution": false, "task": false}
check("ssa_passes.mobilenet")
