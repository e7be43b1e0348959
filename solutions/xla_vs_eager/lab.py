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
# # Eager against compiled, with XLA
#
# In eager mode each operation is launched, writes its result to memory, and the next one reads it. Compiled, a whole
# training step is one program, built ahead of time for one set of shapes. By the end you can say what compiling
# gains, what it costs, after how many steps it pays off, and why it sometimes does not.
#
# How it works here:
#
# - You write in the Python files next to this notebook, where a line says `### TASK …`. Save, and run the cell
#   with `check(…)` here. Your functions read hidden files, or write programs that the judge reads and runs.
# - A program travels as a file: `network.export` writes what `jax.jit` makes of a function.
# - No GPU is needed: JAX compiles with XLA for this CPU. Three tasks are also measured on a GPU, where there is one.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `network.py`, `digits.npz` | a CNN with a training step, and 1797 handwritten digits of 8×8 pixels (E. Alpaydin and C. Kaynak, UCI, CC BY 4.0) |
# | `fast_training.py` | steps of training, which you compile |
# | `recompiles.py`, `timings.py`, `buckets.py` | how many programs are compiled, when they pay off, and how to need fewer |
# | `hlo_reading.py`, `hlo_drawing.py` | the HLO that XLA generates: for you to read, and drawn |
# | `fused_loss.py` | cross-entropy over a large vocabulary, as one program |
# | `annotations.py` | names in a program and in a profile |
# | `slow_training.py`, `on_device.py` | a step with host callbacks; the same step without them |
# | `donation.py` | buffer donation |
# | `pipelined.py` | a Pallas kernel that copies while it multiplies |
# | `lazy_training.py`, `lazy_reading.py`, `mnist.py` | the same training in PyTorch/XLA, and what it reports |
# | `runs.py`, `run_*.json.gz` | recorded runs, four of them slow |

# %%
import gzip
import json
import logging
import statistics
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import network
import numpy as np
from hotloop import check

images, labels = network.load_digits()
parameters = jax.tree.map(jnp.asarray, network.initial(0))
momentum = network.zeros_like(parameters)
made = Path("made")
made.mkdir(exist_ok=True)
images.shape, labels[:10]

# %%
import hlo_drawing
from IPython.display import SVG

SVG(hlo_drawing.pictures(images[:12]))

# %% [markdown]
# ## 1. Compile a training step with jax.jit
#
# ### CARD xla_vs_eager.compiled_step
#
# JAX does not compile your code by default: what is not under `jax.jit` runs one operation at a time, as
# in eager PyTorch. **Predict**: this network has 1898 parameters and a batch 32 images. How long does a
# step take op by op, how long compiled, and how long does the first compiled call take?


# %%
def seconds(step, count, batch=32):
    """Of each of so many steps, waited for: JAX returns before the work is done."""
    state, took = (parameters, momentum), []
    for number in range(count):
        first = number * batch % 1700
        started = time.perf_counter()
        *state, value = step(*state, images[first : first + batch], labels[first : first + batch])
        value.block_until_ready()
        took.append(time.perf_counter() - started)
    return took


eager, compiled = seconds(network.step, 20), seconds(jax.jit(network.step), 200)
for name, took in (("op by op", eager), ("compiled", compiled)):
    print(f"{name}: first {took[0]:.2f} s, then {1e3 * statistics.median(took[5:]):.2f} ms")

# %% [markdown]
# Write `train` in `fast_training.py`. The judge calls it with fresh batches and a fresh state each time, times it against the same steps op
# by op, and compares parameters and momentum with float64. Compilation is not timed, provided that you compile only once.
#
# ### HINTS xla_vs_eager.compiled_step

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "compiled_step", "locked": true, "points": 25, "solution": false, "task": false}
check("xla_vs_eager.compiled_step")

# %% [markdown]
# ## 2. When does compiling pay off?
#
# ### CARD xla_vs_eager.break_even
#
# A compiled program costs seconds before it saves milliseconds. Your function in `timings.py` gets the recording of two runs of one
# training, as JSON:
#
# | key | what |
# | --- | --- |
# | `eager`, `compiled` | one list of steps each: `dispatch_s`, until the call returned to Python; `ready_s`, until the result was ready |
# | `events` | of the compiled run: `[step, event, seconds]` for each part of a compilation: tracing, lowering, XLA |
# | `storm_every` | suppose a new shape came every `storm_every` steps, each with its own program |
#
# Write `break_even(path)`, a dict of
#
# | key | what |
# | --- | --- |
# | `programs` | steps in which something was compiled |
# | `compile_s` | total compilation time |
# | `eager_step_s` | the median step, until its result is ready |
# | `compiled_step_s` | likewise, of those steps in which nothing was compiled |
# | `break_even` | the first number of steps whose gain is at least `compile_s`; None if there is no gain |
# | `with_storm` | True if the gain of `storm_every` steps is more than what one program takes to compile, on average |
#
# ### HINTS xla_vs_eager.break_even

# %%
heard = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, seconds, **more: heard.append((event, seconds))
)
jax.clear_caches()
took = seconds(jax.jit(network.step), 3)
for event, spent in heard:
    print(f"{event:55} {spent:.3f} s")
print("steps:", [round(each, 4) for each in took])

# %%
import timings

example = {
    "eager": [{"dispatch_s": 0.017, "ready_s": 0.018}] * 5,
    "compiled": [{"dispatch_s": 0.5, "ready_s": 0.51}]
    + [{"dispatch_s": 1e-4, "ready_s": 6e-4}] * 4,
    "events": [[0, "/jax/core/compile/backend_compile_duration", 0.5]],
    "storm_every": 20,
}
(made / "steps.json").write_text(json.dumps(example))
timings.break_even(made / "steps.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "break_even", "locked": true, "points": 9, "solution": false, "task": false}
check("xla_vs_eager.break_even")

# %% [markdown]
# ## 3. Count compilations and find their cause
#
# ### CARD xla_vs_eager.count_compilations
#
# A compiled program fits one *signature*. **Predict**: how many programs does this loop compile?

# %%
scaled = jax.jit(lambda x, factor: x * factor)
heard.clear()
for factor in (1.0, 2.0, 3, np.float32(4), np.float64(5), True):
    scaled(images[:32], factor)
    count = sum("backend_compile" in event for event, _ in heard)
    print(f"{factor!r:20} programs so far: {count}")

# %% [markdown]
# JAX can report the reason: set `JAX_EXPLAIN_CACHE_MISSES=1`, or do it as below. Switch it on first when a step is suddenly slow.

# %%
jax.config.update("jax_explain_cache_misses", True)
logging.getLogger("jax").setLevel(logging.WARNING)
scaled(images[:33], 1.0)
jax.config.update("jax_explain_cache_misses", False)

# %% [markdown]
# A stream of calls is recorded as JSON, `{"calls": [call, …]}`; each call is a dict of arguments by name, all
# given by keyword. An argument is one of
#
# - `{"kind": "array", "shape": …, "dtype": …, "weak_type": …}`: an array, from numpy or JAX,
# - `{"kind": "python", "type": "int" | "float" | "bool", "value": …}`: a Python number,
# - `{"kind": "static", "value": …}`: named in `static_argnames`.
#
# Write `read_calls(path)` in `recompiles.py`. It returns a dict of `programs`, how many programs `jax.jit` compiles for all calls;
# `culprit`, the argument that would leave the fewest programs if it were always as in the first call; and `cause`. The `cause` is what
# varies in the culprit: `"shape"`, `"dtype"`, `"weak_type"` or `"static"`. The judge has actually executed its streams.
#
# ### HINTS xla_vs_eager.count_compilations

# %%
import recompiles

calls = [
    {"x": {"kind": "array", "shape": [n, 2], "dtype": "float32", "weak_type": False}}
    for n in (3, 4, 3, 5)
]
(made / "calls.json").write_text(json.dumps({"calls": calls}))
recompiles.read_calls(made / "calls.json")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "count_compilations", "locked": true, "points": 12, "solution": false, "task": false}
check("xla_vs_eager.count_compilations")

# %% [markdown]
# `torch.compile` guards in much the same way, but generalizes sooner: after the second size it compiles one program for
# all sizes of that dimension. Only size 1 stays specialized.

# %%
import torch

graphs = []


def counting(graph, _inputs):
    graphs.append(graph)
    return graph.forward


doubled = torch.compile(lambda x: x * 2, backend=counting)
for size in (5, 5, 6, 7, 8, 1):
    doubled(torch.ones(size))
    print(f"size {size}: graphs so far {len(graphs)}")

# %% [markdown]
# ## 4. Pad to a few sizes
#
# ### CARD xla_vs_eager.bucket
#
# If batch sizes vary, pad each batch to one of a few sizes. Write in `buckets.py`:
#
# - `bucket_sizes(path, budget)`: the file has a JSON list with the size of each recorded batch. Return a list of sizes; a batch
#   goes to the smallest that holds it. At most `budget` of them may be used, with few padded rows.
# - `export_padded(size, target)`: write a program to `target` with `network.export`. It takes `(parameters, images [size, 8, 8, 1],
#   labels int32 [size], count int32)` and gives the loss and the gradients, as `jax.value_and_grad(network.loss)` does, of the first
#   `count` samples. The rows after them hold uninitialized memory: NaN, infinities, labels out of range.
#
# **Predict**: 300 batches of 1 to 100 samples, 18 on average, and five programs. How many rows do powers of two compute
# for each real one, and how many the best five sizes?
#
# ### HINTS xla_vs_eager.bucket

# %%
import buckets

sizes = np.clip(np.random.default_rng(0).exponential(18, 300).round(), 1, 100).astype(int).tolist()
(made / "sizes.json").write_text(json.dumps(sizes))
best = buckets.bucket_sizes(made / "sizes.json", 5)
rows = {
    "no padding": sum(sizes),
    "powers of two": sum(1 << (size - 1).bit_length() for size in sizes),
    f"yours, {best}": sum(min(each for each in best if each >= size) for size in sizes),
}
programs = (len(set(sizes)), len({1 << (size - 1).bit_length() for size in sizes}), len(best))
for (name, count), many in zip(rows.items(), programs):
    print(f"{name:40} {many:3} programs, {count / sum(sizes):.2f} rows for a real one")

# %%
buckets.export_padded(16, made / "padded.bin")
padded = jax.export.deserialize(bytearray((made / "padded.bin").read_bytes()))
rubbish = images[:16].copy()
rubbish[10:] = np.nan
value, gradients = padded.call(parameters, rubbish, labels[:16], jnp.int32(10))
float(value), float(network.loss(parameters, images[:10], labels[:10]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "bucket", "locked": true, "points": 15, "solution": false, "task": false}
check("xla_vs_eager.bucket")

# %% [markdown]
# ## 5. Read optimized HLO
#
# ### CARD xla_vs_eager.read_hlo
#
# `lower(…)` shows the program as JAX wrote it, `compile()` the program after XLA's passes. Compare the two, then look at the drawing: a box
# is an instruction that writes memory, and its width shows the bytes that it moves.

# %%
lowered = jax.jit(network.loss).lower(parameters, images[:32], labels[:32])
before = lowered.as_text()
after = lowered.compile().as_text()
(made / "loss.txt").write_text(after)
print(before.count("stablehlo."), "operations before,", end=" ")
entry = after[after.index("ENTRY") :]
print(entry.count(" = "), "instructions in the entry computation after")
print("\n".join(line.split(", metadata")[0][:150] for line in entry.splitlines()))

# %%
SVG(hlo_drawing.entry(after))

# %% [markdown]
# In `hlo_reading.py`, write `read_hlo(path)`. For such a text it returns a dict of
#
# | key | what |
# | --- | --- |
# | `fusions` | how many instructions `fusion` of each `kind` the entry computation has |
# | `fused` | how many instructions are in the computations that they call, parameters not counted |
# | `traffic` | bytes of the result and of every operand, summed over the entry computation's instructions; parameter, constant, bitcast, tuple and get-tuple-element move nothing |
# | `largest` | the name, without %, of the instruction with the most of these bytes |
# | `relayouts` | the names, sorted, of `copy` and `transpose` in the entry computation that change the order of the elements in memory |
#
# In `f32[8,4]{1,0}` the braces say which dimension varies fastest: here the last one. A transpose that changes shape and
# layout together moves nothing.
#
# And `why_not_fused(path, first, second)` for two fusions, the second of which needs the result of the first: why are they not one? The
# answers:
#
# - `"layout"`: a copy or transpose between them changes the order of the elements.
# - `"opaque"`: a call between them that XLA cannot look into (`custom-call`).
# - `"reduction"`: a sum between them has to be complete before its result can be used.
# - `"returned"`: the program returns the result of the first, so it has to be written in any case.
#
# ### HINTS xla_vs_eager.read_hlo

# %%
import hlo_reading

hlo_reading.read_hlo(made / "loss.txt")

# %% [markdown]
# Where fusion stops, look at the instruction in between. Here it is a function that XLA cannot look into:


# %%
def interrupted(x):
    x = jnp.tanh(x) * 2
    x = jax.pure_callback(lambda v: np.asarray(v), jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return jnp.tanh(x) + 1


for function in (lambda x: jnp.tanh(jnp.tanh(x) * 2) + 1, interrupted):
    text = jax.jit(function).lower(jnp.ones((64, 64))).compile().as_text()
    entry = text[text.index("ENTRY") :]
    print(entry.count(" fusion("), "fusions,", entry.count(" custom-call("), "custom calls")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_hlo", "locked": true, "points": 15, "solution": false, "task": false}
check("xla_vs_eager.read_hlo")

# %% [markdown]
# ## 6. Compile a loss over a large vocabulary
#
# ### CARD xla_vs_eager.fused_loss
#
# In the small network compiling saved launches. With large arrays it saves bytes. Cross-entropy of 8192 tokens over 32768 classes reads a
# gibibyte of scores, and returns 8192 numbers. One operation at a time:
#
# ```python
# top = scores.amax(1, keepdim=True)
# shifted = scores - top
# weights = torch.exp(shifted)
# total = weights.sum(1, keepdim=True)
# logarithms = shifted - total.log()
# losses = -logarithms.gather(1, labels[:, None])[:, 0]
# ```
#
# **Predict**: how many gibibytes does each line read and write? How many must be read at least, and how many does a single program read?
#
# Write `losses(scores, labels)` in `fused_loss.py`: the cross-entropy of each row, as one program. Here the judge compares it with
# float64; where there is a GPU with JAX's plugin it also runs on arrays in the GPU's memory, against the lines above.
#
# ### HINTS xla_vs_eager.fused_loss

# %%
import fused_loss

scores = np.random.default_rng(0).normal(0, 4, (512, 4096)).astype(np.float32)
right = np.arange(512, dtype=np.int32)
program = jax.jit(fused_loss.losses).lower(scores, right).compile()
moved = program.cost_analysis()["bytes accessed"]
print(f"{moved / scores.nbytes:.1f} times the scores' bytes, by XLA's own estimate")
fused_loss.losses(scores, right)[:4]

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fused_loss", "locked": true, "points": 15, "solution": false, "task": false}
check("xla_vs_eager.fused_loss")

# %% [markdown]
# ## 7. Annotate programs and profiles
#
# ### CARD xla_vs_eager.annotate
#
# In a profile, a name like `multiply_add_fusion.4` explains little. Two kinds of names help: scopes, which become part of the program and
# stay with its instructions through all passes, and ranges, which the host marks while it runs.
#
# Write in `annotations.py`:
#
# - `export_annotated(batch, prefix, target)`: write `network.step` for this batch with scopes `{prefix}conv1`,
#   `{prefix}conv2`, `{prefix}head`, `{prefix}loss` and `{prefix}update`. A layer's scope contains its convolution or product; the loss's
#   scope the computation of the returned loss; the update's scope the computation of the new momentum and parameters.
# - `record(folder, steps, label, given=…)`: profile this many training steps into the folder. Each step is a
#   `StepTraceAnnotation(label, step_num=0, 1, …)`; in it a `TraceAnnotation("load")`, and the step's execution.
#   Return the path of the `.trace.json.gz`. `given` is the path of a Python file, for `runpy.run_path(given)`, with
#   `step`, `load_digits`, `initial` and `zeros_like` as in `network.py`, which it is without `given`. The check gives
#   another one: how long its `step` computes follows from the parameters, which go from step to step.
#
# ### HINTS xla_vs_eager.annotate

# %%
import annotations

annotations.export_annotated(32, "my_", made / "annotated.bin")
program = jax.export.deserialize(bytearray((made / "annotated.bin").read_bytes()))
text = (
    jax.jit(program.call).lower(parameters, momentum, images[:32], labels[:32]).compile().as_text()
)
for name in ("conv1", "conv2", "head", "loss", "update"):
    print(f"my_{name}: {text.count('my_' + name)} instructions")

# %%
profile = annotations.record(str(made / "profile"), 3, "training")
events = json.loads(gzip.decompress(Path(profile).read_bytes()))["traceEvents"]
for event in events:
    if event.get("name") in ("training", "load"):
        print(f"{event['name']:9} {event['dur']:8.0f} µs", event.get("args", ""))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "annotate", "locked": true, "points": 10, "solution": false, "task": false}
check("xla_vs_eager.annotate")

# %% [markdown]
# ## 8. Remove host transfers
#
# ### CARD xla_vs_eager.host_transfer
#
# `slow_training.py` has a step that is correct, and slow in a way that no compiler can fix: it transfers data to and from the host.
# **Predict** from its text: how often in a step?

# %%
import slow_training

print(Path("slow_training.py").read_text())

# %%
state = (parameters, momentum)
took = []
for number in range(12):
    started = time.perf_counter()
    *state, rate, value = slow_training.slow_step(*state, images[:32], labels[:32], 0.1)
    value.block_until_ready()
    took.append(time.perf_counter() - started)
print(f"{1e3 * statistics.median(took[4:]):.1f} ms a step")

# %% [markdown]
# Write `export_step(batch, target)` in `on_device.py`: one program `(parameters, momentum, images, labels, rate)` → `(parameters, momentum,
# rate, loss)` with the same results as `slow_step`, also for a batch with a NaN in it. A program is exported for the platform that JAX
# computes on: where there is a GPU, the judge has it exported there too, and times it.
#
# ### HINTS xla_vs_eager.host_transfer

# %%
import on_device

on_device.export_step(32, made / "step.bin")
program = jax.export.deserialize(bytearray((made / "step.bin").read_bytes()))
print("custom calls:", program.mlir_module().count("custom_call"))
one = jax.jit(program.call)(parameters, momentum, images[:32], labels[:32], jnp.float32(0.1))
other = slow_training.slow_step(parameters, momentum, images[:32], labels[:32], 0.1)
largest = jax.tree.map(lambda a, b: float(abs(a - b).max()), one[0], other[0])
print("largest difference of the parameters:", max(largest.values()))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "host_transfer", "locked": true, "points": 24, "solution": false, "task": false}
check("xla_vs_eager.host_transfer")

# %% [markdown]
# ## 9. Donate buffers
#
# ### CARD xla_vs_eager.donate
#
# A step is a pure function: the old parameters stay unchanged, and the new ones are new arrays. So the state is held twice, unless the
# caller declares that it does not need the old one. Write in `donation.py`:
#
# - `export_donated(batch, width, target)`: `network.step` for `network.abstract(batch, width)`, with parameters and
#   momentum donated and nothing else.
# - `donations(path)`: for the text of a lowered module (`lower(…).as_text()`), a dict. `aliased` maps each argument whose memory a result
#   reuses to the number of that result, `{"0": 2, …}`. `arguments` and `results` are their bytes, and `held` the bytes of both together
#   when shared memory counts once.
#
# ### HINTS xla_vs_eager.donate

# %%
import donation

for donated in ((), (0, 1)):
    lowered = jax.jit(network.step, donate_argnums=donated).lower(*network.abstract(32))
    (made / "lowered.txt").write_text(lowered.as_text())
    planned = lowered.compile().memory_analysis()
    print(f"donated {donated}: XLA shares {planned.alias_size_in_bytes} bytes")
    print("  ", donation.donations(made / "lowered.txt"))

# %% [markdown]
# JAX deletes a donated buffer, and raises an error if you read it:

# %%
given = jnp.ones(1000)
jax.jit(lambda x: x + 1, donate_argnums=0)(given)
try:
    print(given[0])
except RuntimeError as error:
    print(str(error)[:80])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "donate", "locked": true, "points": 11, "solution": false, "task": false}
check("xla_vs_eager.donate")

# %% [markdown]
# ## 10. Diagnose four slow runs
#
# ### CARD xla_vs_eager.diagnose
#
# `run_healthy.json.gz` is a recorded training of forty steps, and `run_a` to `run_d` are four
# slow ones. All are real runs on one CPU, each in its own process. Each is gzipped JSON:
#
# | key | what |
# | --- | --- |
# | `events` | what `jax.monitoring` reported: `event`, `seconds`, `fun_name`, and the `step` in which it was |
# | `steps` | of each: `dispatch_s`, `ready_s`, and `executed`, how many programs were launched |
# | `hlo` | the text of the step's program after all passes; empty if the step is not one program |
# | `machine`, `versions`, `date` | where it was recorded |
#
# Write in `runs.py`: `read_run(path)`, a dict of
#
# | key | what |
# | --- | --- |
# | `programs` | how many events `/jax/core/compile/backend_compile_duration` there are |
# | `compile_s`, `compile_share` | seconds of all events, and their share of the sum of all `ready_s` |
# | `step_ms` | the median step in milliseconds (`ready_s`), of those without such a compile event; None if there is none |
# | `callbacks` | custom calls in `hlo` whose target has `callback` in it |
# | `constant_bytes` | bytes of all constants in `hlo` |
# | `programs_a_step` | the median of `executed` |
#
# and `diagnosis()`, for each of `"a"` to `"d"` `{"cause": …, "evidence": …, "value": …}`; evidence is one of those keys, and value its
# value within 3 %. The possible causes:
#
# - `recompiles`: a new shape each time. - `op_by_op`: nothing is compiled as a whole.
# - `callback`: the program calls back to the host. - `baked`: data are constants of the program.
# - `layout`: most of the time goes into copies between two orders of memory.
#
# ### HINTS xla_vs_eager.diagnose

# %%
import runs

for letter in ("healthy", *"abcd"):
    print(f"{letter:8}", runs.read_run(f"run_{letter}.json.gz"))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "diagnose", "locked": true, "points": 12, "solution": false, "task": false}
check("xla_vs_eager.diagnose")

# %% [markdown]
# ## 11. A pipelined matrix product in Pallas
#
# ### CARD xla_vs_eager.pallas_pipeline
#
# XLA writes kernels; where its kernel is slow, you write your own in Pallas. On a TPU a kernel computes on VMEM, megabytes on the chip, and
# starts the copies (DMA) from the large memory (HBM) itself. If a kernel waits for each copy before it multiplies, its time is the sum of
# copying and multiplying.
#
# Write in `pipelined.py`: `matmul(a, b, interpret=False)`, one `pallas_call` for float32 matrices whose sides are multiples of `TILE`. Both
# operands stay in place (`memory_space=pl.ANY`); the kernel copies their tiles to VMEM by `pltpu.make_async_copy`, and **while a product
# runs, the copies of the next step's tiles are in flight**. VMEM holds at most 768 KiB, windows of a `BlockSpec` counted twice: enough for
# tiles, not for whole strips. Use `jnp.dot`, `pl.loop`, `pl.when` and arithmetic on float32; the judge's machine refuses other operations
# by name. Without a TPU, write `jax.lax.div` for `//`, which asks for the TPU's kind.
#
# No TPU is needed: `pltpu.InterpretParams` simulates its memories on the CPU, fills them with NaN, executes a copy only when a wait needs
# it, and has a race detector. The judge exports your kernel for a TPU and runs the export in a simulator of its own. Its speed on a TPU was
# not measured here.
#
# ### HINTS xla_vs_eager.pallas_pipeline

# %%
import pipelined
from jax.experimental.pallas import tpu as pltpu

left = np.random.default_rng(1).standard_normal((128, 384), np.float32)
right = np.random.default_rng(2).standard_normal((384, 256), np.float32)
checked = pltpu.InterpretParams(detect_races=True, dma_execution_mode="on_wait")
try:
    product = np.asarray(pipelined.matmul(left, right, interpret=checked))
    print("largest difference:", np.abs(product - left @ right).max())
finally:
    pltpu.reset_tpu_interpret_mode_state()

# %% [markdown]
# Move the wait to after the product and run the cell again: what are the values, and which two lines does the detector name? Then try
# `dma_execution_mode="eager"`: the values are right, and the race is still there. Last, try one semaphore for both slots.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "pallas_pipeline", "locked": true, "points": 13, "solution": false, "task": false}
check("xla_vs_eager.pallas_pipeline")

# %% [markdown]
# ## 12. The training step in PyTorch/XLA
#
# ### CARD xla_vs_eager.torch_xla_step
#
# PyTorch/XLA has the same compiler under PyTorch's interface. Its tensors are lazy: operations are recorded, and `torch_xla.sync()`, or a read such as `.item()`, compiles and runs what has been recorded. It is built for one
# release of PyTorch, so it has an environment of its own: `hotloop doctor --install torch_xla` makes it (7 GB with the CUDA libraries of PyPI's torch), and the `hotloop` in it grades these two tasks. Without it they say `not_measured`.
#
# Write in `lazy_training.py`:
#
# - `train(images, labels, state, out)`: as in task 1, with PyTorch tensors on the CPU; the steps run on `torch_xla.device()`, each as one graph. `loss` and `unflat` are given.
# - `step_hlo(batch)`: the HLO text of one step for so many images, before it is compiled: parameters, momentum, images and labels in, new parameters and momentum out.
#
# The judge's images have 8×8 pixels, as everywhere in this module. If you have MNIST, set `HOTLOOP_MNIST` to its folder, and the cell below trains the same network on its 28×28 pixels; otherwise on the digits.
#
# ### HINTS xla_vs_eager.torch_xla_step

# %%
import os

import mnist

try:
    os.environ.setdefault("PJRT_DEVICE", "CPU")
    import lazy_training
    import torch
    import torch_xla
    import torch_xla.debug.metrics as met
except ImportError as missing:
    print(f"Not here: {missing}. hotloop doctor --install torch_xla")
else:
    here = mnist.folder()
    pictures, right = mnist.load(here) if here else (images, labels)
    print("MNIST" if here else "the 8×8 digits", pictures.shape)
    shapes = {**lazy_training.SHAPES, "head": (16 * (pictures.shape[1] // 4) ** 2, 10)}
    torch.manual_seed(0)
    lazy = {name: 0.1 * torch.randn(shape) for name, shape in shapes.items()}
    lazy = {name: value.to(torch_xla.device()).requires_grad_() for name, value in lazy.items()}
    for number in range(20):
        batch = slice(64 * number, 64 * number + 64)
        given = torch.tensor(pictures[batch]).to(torch_xla.device())
        wanted = torch.tensor(right[batch]).long().to(torch_xla.device())
        value = lazy_training.loss(lazy, given, wanted)
        gradients = torch.autograd.grad(value, list(lazy.values()))
        lazy = {
            name: (old - 0.2 * gradient).detach().requires_grad_()
            for (name, old), gradient in zip(lazy.items(), gradients, strict=True)
        }
        torch_xla.sync()
        if number % 5 == 4:
            print(f"step {number + 1}: loss {value.item():.3f}")
    print("\n".join(met.metrics_report().splitlines()[:12]))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "torch_xla_step", "locked": true, "points": 9, "solution": false, "task": false}
check("xla_vs_eager.torch_xla_step")

# %% [markdown]
# ## 13. Read PyTorch/XLA's metrics report and dump
#
# ### CARD xla_vs_eager.torch_xla_report
#
# Write in `lazy_reading.py` `read_report(report_path, dump_path)`. The report is the text of `torch_xla.debug.metrics.metrics_report()` after a run; the dump is one module of `XLA_FLAGS=--xla_dump_to`, after optimizations. Return a dict:
#
# | key | what |
# | --- | --- |
# | `compilations`, `executions` | how many graphs were compiled, and how often one ran: the samples of `CompileTime` and `ExecuteTime` |
# | `fallbacks` | value by name of each counter that begins with `aten::`: an operator that ran on the CPU instead |
# | `fusions` | fusion instructions in the module, in all of its computations |
# | `cause` | `fallback`: an operator other than `aten::_local_scalar_dense` ran on the CPU; else `reads`: `.item()` was called; else `shapes`: more than half as many compilations as executions; else `healthy` |
#
# ### HINTS xla_vs_eager.torch_xla_report

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "torch_xla_report", "locked": true, "points": 9, "solution": false, "task": false}
check("xla_vs_eager.torch_xla_report")

# %% [markdown]
# ## 14. Write the report
#
# ### CARD xla_vs_eager.report
#
# A colleague trains networks like this one on batches of varying sizes from the loader, and asks whether to compile. Write one page:
#
# 1. What a step takes op by op and compiled, and how you measured it.
# 2. What compiling costs, how many programs an epoch compiles, and after how many steps that pays off.
# 3. The obstacles (sizes, host, memory), the evidence for each, and what fixing it gained.
# 4. How you know that the training is still the same, and what you have not measured.
#
# ### HINTS xla_vs_eager.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 10, "solution": true, "task": false}
# ### BEGIN SOLUTION xla_vs_eager.report
# ### STUB Write your report here.
# **Yes, if the sizes are few.** All on two shared cores, JAX 0.10.2, 32 images a batch; a step ends when its loss has arrived.
#
# | | op by op | compiled |
# | --- | --- | --- |
# | a step, median of 15 and 195 | 17.6 ms | 0.57 ms |
# | the first step | 5.2 s | 0.50 s |
#
# The gain is 17 ms a step, so one program pays off after 30 steps. The recorded run with a new size in each step made 40 programs and spent
# 98.5 % of its time on compiling; there op by op is faster. With five sizes to pad to, an epoch makes five programs.
#
# **In the way:** sizes (run b, 40 programs in 40 steps); a callback in numpy (run a: one custom call, a step takes 2.0 instead of 0.97 ms); the
# decorator itself (run d: 119 programs started in each step). A data set in a closure (run c) costs compiling, not steps: 467 kB of constants.
#
# **The same training:** parameters and momentum after sixteen steps agree with float64 within 5e-4 of the largest. With NaN in the padding the padded loss
# is that of the real samples.
#
# **Not measured:** a GPU or TPU, larger networks, a persistent cache of programs. I would measure the last first, since the job restarts often.
# ### END SOLUTION
