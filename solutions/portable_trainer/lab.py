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
# # A fault-tolerant trainer for several backends
#
# Training a large model takes weeks, and over weeks everything fails at some point: a compiler rejects a shape,
# a GPU runs out of memory, a process dies. You write a trainer that keeps training through all of these, with
# losses that match those of a run in which nothing failed.
#
# How it works here:
#
# - You write in the Python files next to this notebook, where a line says `### TASK …`. Save, and run the cell with
#   `check(…)` here.
# - The judge injects failures at points that you cannot predict. It does not trust the reports of your code: it computes the losses itself
#   from the files that you wrote, and the process that hands out samples counts them.
# - No GPU is needed. Eight XLA devices on this CPU simulate a pod, and two processes simulate ranks.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `vlm.py`, `vlm_jax.py` | the model (image encoder and text decoder) in PyTorch and for XLA |
# | `shapes.py`, `run.py` | drawn shapes with captions, and a training run |
# | `layout.py`, `checkpoint.py` | the checkpoint format, and your code for it |
# | `backends.py` | one training step on four backends |
# | `policy.md`, `policy.py` | the rules of the fallback policy, and your code for it |
# | `remote.py`, `practice.py`, `trainer.py` | backends in another process, backends to practice on, and your trainer |
# | `samples.py`, `ranks.py`, `mesh.py` | counted samples, several ranks, a device mesh |
# | `links.py`, `collectives.py` | messages between ranks that are counted, and your all-reduces |
# | `fsdp_trace.json`, `prefetch.py` | a step of a sharded model, and your reading of it |
# | `monitor.py`, `events.md`, `monitor_recording.jsonl` | metrics of a run |
# | `planner.py`, `cluster.py`, `costs.md` | a planner for clusters that you do not have |
# | `clip_backends.py` | a published model, CLIP, on two backends |

# %%
from pathlib import Path

import run
import shapes
from hotloop import check
from IPython.display import SVG

made = Path("made")
made.mkdir(exist_ok=True)

# %% [markdown]
# The model sees images of 16 × 16 and writes captions for them. It learns from two losses at once: the caption, word by word, and the match
# between the eight captions and the eight images of a batch.

# %%
going = run.Run(seed=7)
print([shapes.words(shapes.sample(number)[1].tolist()) for number in range(3)])
print([round(going.step(), 3) for _ in range(8)])

# %% [markdown]
# ## 1. Crash-safe checkpoints
#
# ### CARD portable_trainer.checkpoint
#
# A run is killed after step 13 and continues in a new process. Suppose that a checkpoint omits one of these: weights; velocities; the state
# of the noise; the position in the epoch; the state of the shuffle. Predict for each: at which step does the loss differ for the first
# time, and would you see it in a plot?
#
# Write in `checkpoint.py`; `layout.py` defines the layout of the file.
#
# ### HINTS portable_trainer.checkpoint

# %%
import checkpoint

checkpoint.train_and_save(7, 13, made / "thirteen.safetensors")
again = checkpoint.resume(made / "thirteen.safetensors")
undisturbed = run.Run(seed=7)
expected = [undisturbed.step() for _ in range(25)][13:]
[
    (step + 13, before == after)
    for step, (before, after) in enumerate(zip(expected, (again.step() for _ in range(12))))
]

# %% [markdown]
# *Exact* means equal to the last bit, over the end of two epochs. The digest distinguishes a complete file from one whose last block never
# reached the disk.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "checkpoint", "locked": true, "points": 18, "solution": false, "task": false}
check("portable_trainer.checkpoint")

# %% [markdown]
# ## 2. The same step on several backends
#
# ### CARD portable_trainer.backends
#
# If only one backend can read a checkpoint, you cannot fall back to another. Write in `backends.py` the eager backend, the compiled one,
# and the one for XLA; each continues from another's checkpoint. CUDA graphs are included, for GPUs; not measured.
#
# Predict: three steps eagerly, three compiled, three through XLA, from one checkpoint. How far apart are the losses of the
# next step, compared with one backend for all nine?
#
# ### HINTS portable_trainer.backends

# %%
import backends

checkpoint.train_and_save(7, 4, made / "here.safetensors")
for name in ("eager", "compile", "xla"):
    backends.train(name, made / "here.safetensors", 3, made / "there.safetensors")
    (made / "there.safetensors").replace(made / "here.safetensors")
mixed = checkpoint.resume(made / "here.safetensors")
print("after nine steps on three backends:", mixed.step())
print("on one:", expected[0])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "backends", "locked": true, "points": 12, "solution": false, "task": false}
check("portable_trainer.backends")

# %% [markdown]
# ## 3. Decide when to fall back
#
# ### CARD portable_trainer.policy
#
# Read `policy.md`, and predict before you write: a backend takes 0.10 s per step, then 0.25 s; the next one down the list takes 0.27 s.
# Which decision is right? And if one step in ten takes 0.5 s?
#
# Write `decide` in `policy.py`. The judge passes your function one event at a time, from runs that it generates as it goes.
#
# ### HINTS portable_trainer.policy

# %%
import policy
import practice

memory = None
for step, seconds in enumerate([3.0] + [0.1] * 6 + [0.5] + [0.1] * 3 + [0.31] * 5):
    event = {"kind": "step", "backend": "cuda_graphs", "step": step}
    event |= {"loss": 2.0, "seconds": seconds, "compilations": 1}
    memory, decision = policy.decide(practice.BACKENDS, memory, event)
    if decision["do"] != "go_on":
        print(step, decision)
        break

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "policy", "locked": true, "points": 20, "solution": false, "task": false}
check("portable_trainer.policy")

# %% [markdown]
# ## 4. Survive faults with the same loss
#
# ### CARD portable_trainer.survive
#
# Now the trainer. In `practice.Cluster` you choose how the backends fail; the judge's run in another process, and fail in other ways. Write
# `train` in `trainer.py`.
#
# ### HINTS portable_trainer.survive

# %%
import shutil

import trainer

troubles = [
    practice.Trouble("compile_failed", "cuda_graphs", 0, 40),
    practice.Trouble("not_finite", "compile", 8, 8, times=1),
    practice.Trouble("slow", "compile", 14, 30),
    practice.Trouble("rank_lost", "eager", 24, 24, times=1),
]
shutil.rmtree(made / "run", ignore_errors=True)
(made / "run").mkdir()
cluster = practice.Cluster(troubles)
print("came to its end:", trainer.train(cluster, made / "run"))
print((made / "run" / "report.jsonl").read_text())

# %% [markdown]
# The picture below shows all events from left to right: a row is a backend, a circle a step (larger if it took longer), a cross a fault.
# Below it are the losses at the end, beside those of a run without any fault.

# %%
calm = practice.Cluster()
(made / "calm").mkdir(exist_ok=True)
shutil.rmtree(made / "calm")
(made / "calm").mkdir()
trainer.train(calm, made / "calm")
last = {event["step"]: event["loss"] for event in cluster.history if event["kind"] == "step"}
print("equal losses:", all(last[event["step"]] == event["loss"] for event in calm.history))
SVG(practice.drawn(cluster))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "survive", "locked": true, "points": 20, "solution": false, "task": false}
check("portable_trainer.survive")

# %% [markdown]
# ## 5. Data-parallel and sharded training
#
# ### CARD portable_trainer.ranks
#
# Two ranks with four samples each: predict whether the mean of their losses is the loss of the eight, for the caption
# loss, and for the contrastive one. The next cell computes both.

# %%
import torch
import vlm

model = vlm.made(1)
pictures, captions = shapes.batch(range(8))
with torch.no_grad():
    for name in ("caption", "contrastive"):
        whole, halves = ([], [])
        for found, parts in ((whole, [slice(0, 8)]), (halves, [slice(0, 4), slice(4, 8)])):
            for part in parts:
                seen, read, caption_loss = model.parts(pictures[part], captions[part])
                found.append(
                    (caption_loss if name == "caption" else model.contrastive(seen, read)).item()
                )
        print(f"{name}: of eight {whole[0]:.4f}, mean of two fours {sum(halves) / 2:.4f}")

# %% [markdown]
# Write `train` in `ranks.py`: each rank's part of the work, for `data_parallel` and for `fully_sharded`. torchrun starts the ranks, and
# restarts all of them when one dies; your code need not.
#
# ### HINTS portable_trainer.ranks

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "ranks", "locked": true, "points": 18, "solution": false, "task": false}
check("portable_trainer.ranks")

# %% [markdown]
# ## 6. Train over a mesh of eight devices
#
# ### CARD portable_trainer.mesh
#
# In PyTorch you wrote the communication between ranks yourself. In XLA you specify the sharding of the tensors, and the compiler inserts
# the communication. Predict: for a mesh of 4 × 2, which collectives will the compiled step have, and which of them does the contrastive
# loss need?
#
# Write `specs` and `exported_step` in `mesh.py`. A parameter with a dimension that the `model` axis divides is split evenly along one such
# dimension of your choice; any other parameter is replicated on each device. Samples are split over `data`, and parameters and velocities
# leave the step with the sharding with which they entered.
#
# ### HINTS portable_trainer.mesh

# %%
import collections
import re

import jax
import mesh

specs = mesh.specs(2)
print(collections.Counter("split" if "model" in spec else "whole" for spec in specs.values()))
mesh.save_step(4, 2, 8, made / "step.jax")
exported = mesh.exported_step(4, 2, 8)
places = exported.in_shardings_jax(mesh.mesh_of(4, 2))
described = [
    jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=place)
    for array, place in zip(exported.in_avals, places, strict=True)
]
arguments, _ = jax.tree.unflatten(exported.in_tree, described)
text = jax.jit(exported.call).lower(*arguments).compile().as_text()
kinds = "all-reduce|all-gather|reduce-scatter|all-to-all|collective-permute"
print(collections.Counter(re.findall(rf" ({kinds})(?:-start)?[(]", text)))

# %% [markdown]
# You wrote none of these. There is a collective for each sharded layer, and gathers where the contrastive loss compares all pairs: count
# those of a mesh of 8 × 1, and of 1 × 8.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "mesh", "locked": true, "points": 14, "solution": false, "task": false}
check("portable_trainer.mesh")

# %% [markdown]
# ## 7. All-reduce over a ring and a tree
#
# ### CARD portable_trainer.all_reduce
#
# Gradients of data-parallel ranks are summed by an all-reduce. You have used it; now write it, from messages between two
# ranks. `links.py` says what a rank can do, and counts steps and bytes.
#
# Predict for 8 ranks and a vector of 1 GB: if rank 0 receives all vectors, adds them up and sends the sum to each, how many GB
# follow each other on its link? And in a ring, where each rank is always sending a part and receiving another?
#
# Write `ring` and `tree` in `collectives.py`.
#
# ### HINTS portable_trainer.all_reduce

# %%
import collectives
import links
import numpy as np

for ranks in (2, 3, 8, 13):
    vectors = [np.full(1000, float(rank), np.float32) for rank in range(ranks)]
    for function in (collectives.ring, collectives.tree):
        results, costs = links.run(function, vectors)
        right = all(np.array_equal(result, sum(vectors)) for result in results)
        print(
            f"{ranks:2} ranks, {function.__name__}: right {right}, {costs.steps:2} steps, "
            f"{costs.bytes / 4000:.2f} vectors follow each other"
        )

# %% [markdown]
# A step costs a latency, some microseconds; a byte costs its share of the bandwidth. For which vectors would you take the tree?

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "all_reduce", "locked": true, "points": 14, "solution": false, "task": false}
check("portable_trainer.all_reduce")

# %% [markdown]
# ## 8. Read a step of FSDP from its trace
#
# ### CARD portable_trainer.prefetch
#
# `fsdp_trace.json` is one step of a model of four layers, sharded over two processes and recorded by torch's profiler:
# `hotloop trace fsdp_trace.json`, or https://ui.perfetto.dev, shows it. The forward pass has no prefetch, the backward pass has.
#
# Predict: how many gathers will the step have for each layer? Which of them can run beside a product?
#
# Write `read` in `prefetch.py`. The judge records other models, with other settings.
#
# ### HINTS portable_trainer.prefetch

# %%
import prefetch

prefetch.read("fsdp_trace.json")

# %% [markdown]
# On a GPU the gathers are NCCL's kernels, on a stream of their own; here they are in threads of gloo. What hides them is the same: a gather that
# is issued before it is needed. `set_modules_to_forward_prefetch` asks for that; what does it cost in memory?

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "prefetch", "locked": true, "points": 12, "solution": false, "task": false}
check("portable_trainer.prefetch")

# %% [markdown]
# ## 9. Monitor the training
#
# ### CARD portable_trainer.monitor
#
# A run writes one line of JSON for each event: `events.md` lists the kinds. `monitor_recording.jsonl` is such a run. It compiles, compiles
# again, falls back once, and was killed once: it continued from a checkpoint, so some steps ran twice.
#
# Predict: the mean of its step times, and their median. Which of them would you put on a dashboard, and which would have told you about
# repeated compilation?

# %%
import json
import statistics
from pathlib import Path

events = [json.loads(line) for line in Path("monitor_recording.jsonl").read_text().splitlines()]
seconds = [event["seconds"] for event in events if event["event"] == "step"]
print(
    f"{len(events)} events, {len(seconds)} steps; mean {statistics.mean(seconds):.3f} s, median {statistics.median(seconds):.3f} s"
)

# %% [markdown]
# Write in `monitor.py`: `summary`, `sketch` and `merged_quantiles`, `prometheus`, `tensorboard`, `dashboard`.
#
# ### HINTS portable_trainer.monitor

# %%
import monitor

made = Path("made")
made.mkdir(exist_ok=True)
print(monitor.dashboard("monitor_recording.jsonl"))
monitor.prometheus("monitor_recording.jsonl", made / "metrics.prom")
monitor.tensorboard("monitor_recording.jsonl", made / "events.out.tfevents.monitor")
print((made / "metrics.prom").read_text()[:1500])

# %% [markdown]
# `tensorboard --logdir made` shows the curves in a browser, and a Prometheus server can scrape the text from any web server that serves the
# file. The judge calls your functions on streams that it generates, and reads the results with prometheus_client's and TensorBoard's own
# readers.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "monitor", "locked": true, "points": 22, "solution": false, "task": false}
check("portable_trainer.monitor")

# %% [markdown]
# ## 10. Plan parallelism for 256 GPUs
#
# ### CARD portable_trainer.plan
#
# There are eight devices here. The system is for 256 GPUs and for a TPU pod, which you do not have for experiments. So compute the cost of
# a plan, and let a program search for the cheapest.
#
# Predict before you run the next cell, for a model of 18.4 billion parameters on 256 A100s of 80 GB, 8 per node: how many bytes per
# parameter does training take, and how many devices must share one copy of the model before it fits? Is it better to cut each layer in
# eight (tensor), or to give each device an eighth of the layers (pipeline)?

# %%
import cluster

case = cluster.published("18.4B")
print(f"{cluster.parameters(case['model']) / 1e9:.1f} billion parameters")
print(
    f"state alone: {16 * cluster.parameters(case['model']) / 1e9:.0f} GB; a device has "
    f"{case['cluster']['memory_bytes'] / 1e9:.0f} GB"
)
print("Megatron-LM's plan:", {k: v for k, v in case["plan"].items() if k != "stages"})

# %% [markdown]
# Read `costs.md`: it defines a plan and its cost. Then write in `planner.py`
#
# - `estimate(model, cluster, batch, plan)`: bytes and seconds of each stage, seconds of a step, whether it fits;
# - `best_plan(model, cluster, batch)`: the fastest plan that fits, or None.
#
# ### HINTS portable_trainer.plan

# %%
import time

import planner


def shown(name, plan, case):
    said = planner.estimate(case["model"], case["cluster"], case["batch"], plan)
    heaviest = max(a + b for a, b in zip(said["state_bytes"], said["activation_bytes"]))
    mfu = (
        cluster.model_flops(case["model"])
        * case["batch"]
        / (said["step_s"] * case["cluster"]["devices"] * cluster.PEAK[case["device"]])
    )
    print(
        f"{name:12} t={plan['tensor']:<3} p={plan['pipeline']:<3} d={plan['data']:<4} b={plan['micro_batch']:<3}"
        f" zero={plan['zero']} {heaviest / 1e9:5.1f} GB {said['step_s']:7.2f} s  MFU {100 * mfu:.0f} %"
    )


for name in cluster.PUBLISHED:
    case = cluster.published(name)
    started = time.perf_counter()
    mine = planner.best_plan(case["model"], case["cluster"], case["batch"])
    print(
        f"{name}: {case['cluster']['devices']} devices, looked for {time.perf_counter() - started:.1f} s"
    )
    shown("  published", case["plan"], case)
    shown("  yours", mine, case)

# %% [markdown]
# Your planner finds one published plan exactly, to the number of layers in each stage. Which? In the others, where do you differ from the
# published plan, and which constraints of the real training do the rules leave out? A difference of two percent here does not decide
# between two plans.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "plan", "locked": true, "points": 26, "solution": false, "task": false}
check("portable_trainer.plan")

# %% [markdown]
# ## 11. CLIP on both backends
#
# ### CARD portable_trainer.clip
#
# `vlm.py` was written for this course. CLIP (Radford et al. 2021, arXiv:2103.00020) was not: `transformers.CLIPModel` is its class, and checkpoints have the names of its parameters. So a second backend has to agree with somebody else's code.
# The weights are drawn, and the sizes small. `pip install 'hotloop[transformers]'` brings the class; without it the checks say `not_measured`. Write in `clip_backends.py`:
#
# - `Eager`: the class in PyTorch, with the weights and velocities that it is given.
# - `loss(config, p, pixels, tokens)`: CLIP's loss for XLA. `p` has the class's parameters by name, `config` its sizes.
# - `Xla` and `train(order, config, source, batches, target)`: a step for each name in `order`. Where the backend changes, the next one goes on from the last one's state. The run that is written has the loss of each step.
#
# **Predict:** a run falls back from XLA to eager after its second step, and the velocities are lost on the way. At which step does the loss differ for the first time?
#
# ### HINTS portable_trainer.clip

# %%
try:
    import clip_backends
except ImportError as missing:
    print(f"Not here: {missing}. pip install 'hotloop[transformers]'")
else:
    clip = clip_backends.made(clip_backends.TINY, 0)
    for name, parameter in list(clip.named_parameters())[:12]:
        print(f"{name:60} {tuple(parameter.shape)}")
    print(sum(parameter.numel() for parameter in clip.parameters()), "parameters in all")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "clip", "locked": true, "points": 14, "solution": false, "task": false}
check("portable_trainer.clip")

# %% [markdown]
# ## 12. Write the report
#
# ### CARD portable_trainer.report
#
# Write one page for the engineer on call, for a night when this run has stalled:
#
# 1. A row for each fault: how it is detected, after how many steps, what it costs, and how you tested it.
# 2. What a checkpoint costs, and how often you would write one.
# 3. The plan for 256 GPUs: which layout, the second best, and the figure that decides between the two.
# 4. What is not covered.
#
# ### HINTS portable_trainer.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 10, "solution": true, "task": false}
# ### BEGIN SOLUTION portable_trainer.report
# ### STUB Write your report here.
# **Faults**, each tried on `practice.Cluster` with 40 steps and a checkpoint every 5; at the end the losses are those of
# the calm run, bit by bit:
#
# | fault | noticed by | after | costs |
# | --- | --- | --- | --- |
# | no compilation | the event | at once | one compilation for nothing |
# | out of memory, a lost rank | the event | at once | the steps since the checkpoint, 4 at most |
# | a loss that is not finite | the step | at once | 5 steps at most, twice that if it comes back |
# | endless recompilation | more than 3 in 10 steps | 4 to 10 steps | a compilation each |
# | slow | median of 5 over twice the best | 3 slow steps | what they take |
#
# With ranks, torchrun has to import and to find the others again; that takes longer than the steps that are lost,
# so I would not write checkpoints more often for its sake.
#
# **Checkpoints**: with a step of s seconds, a checkpoint of c seconds and one fault in f seconds, writing every √(2 f c)
# seconds loses least (Young 1974). **The plan** is the planner's first; its second was behind by less than the model is
# wrong by, so I would measure both on one node before I believe either.
#
# **Not covered**: a loss that is wrong and finite, a sample that spoils a run slowly, a disk that lies about fsync, and two
# trainers that write into one folder.
# ### END SOLUTION
