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
# # Export a model with control flow
#
# A shop sorts its messages with a small encoder. Its `forward` has three ifs: which mask, which attention pattern,
# and whether to exit after the first layer. It has to be deployed to a service that has neither your source nor, if
# possible, a compiler. By the end it runs there, and you can show that each of its twelve paths still gives the right result.
#
# How it works here:
#
# - You write functions in files next to this notebook. Open them in JupyterLab's editor (double-click in the file list),
#   save, and run the cell with `check(…)` here. The judge gives them weights and messages that you have not seen, and
#   runs the files that they write in processes that have no source.
# - No GPU is needed. What only a GPU can show says `not_measured`, and its points are pending.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `encoder.py` | the encoder, as its authors wrote it |
# | `trap.py`, `scripted.py` | what tracing loses, and TorchScript: tasks 1 and 2 |
# | `triage.py`, `graph_breaks.py` | a model full of graph breaks, and yours: task 3 |
# | `portable.py`, `package_model.py`, `service.py` | the exported program, the package, and the service that loads it: tasks 4 and 5 |
# | `freezing.py`, `migration.py` | old files: tasks 6 and 8 |
# | `decoder.py`, `decode.py` | a decoder with a growing cache, and your step: task 7 |
# | `sparsemax.py` | a loop in one kernel: task 10 |
# | `deciding.py` | a batch in which each message decides: task 11 |
# | `routed.py`, `hugging_face.py` | a model class of `transformers` with two branches, and yours: task 12 |
# | `failure_a.txt` to `failure_d.txt`, `diagnosis.py` | four recorded failures: task 9 |

# %%
import importlib
import json
import logging
import tempfile
import time
import warnings
from pathlib import Path

import encoder
import torch
from hotloop import check

# TorchScript says of itself that it is deprecated, each time; task 8 is about that.
warnings.filterwarnings("ignore", category=DeprecationWarning)
warnings.filterwarnings("ignore", category=FutureWarning, module="copyreg")
logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
logging.getLogger("triage").setLevel(logging.ERROR)
torch.set_num_threads(1)

folder = Path(tempfile.mkdtemp())
model = encoder.load(seed=0)
numbers = torch.Generator().manual_seed(1)


def messages(n, length):
    return torch.randint(1, encoder.VOCABULARY, (n, length), generator=numbers)


def largest_difference(one, other, given):
    with torch.inference_mode():
        return float((one(*given) - other(*given)).abs().max())


# %% [markdown]
# ## 1. What tracing loses
#
# Predict first: a trace is made with one short causal message. On which of these four will it be wrong?

# %%
example = (messages(1, 20), torch.tensor(encoder.CAUSAL))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    traced = torch.jit.trace(model, example, check_trace=False)
print(*{str(w.message).splitlines()[0][:110] for w in said}, sep="\n")

tried = {
    "another message": (messages(1, 20), torch.tensor(encoder.CAUSAL)),
    "a shorter one": (messages(1, 11), torch.tensor(encoder.CAUSAL)),
    "a longer one": (messages(1, 60), torch.tensor(encoder.CAUSAL)),
    "another kind": (messages(1, 20), torch.tensor(encoder.BOTH_WAYS)),
}
for name, given in tried.items():
    print(f"{name:16} largest difference {largest_difference(traced, model, given):.1e}")

# %% [markdown]
# If “another message” is wrong too, it exited after another layer than the example did. Run the cell again to see other messages.
#
# ### CARD control_flow_export.show_the_trap
#
# A comparison on the example input alone would have passed. Write in `trap.py` `departures(seed, example_path)`: for `load(seed)`, traced
# with the example in a JSON file, return four inputs, each `{"tokens": [[…], …], "kind": …}`:
#
# - `"kind"`, `"length"`, `"exit"`: it takes another path than the example at this one decision and the same path at the other two, and the
#   trace is wrong about it (by more than 0.01).
# - `"agrees"`: it takes the example's path at all three decisions, has another length, and the trace is right about it.
#
# 1 to 16 messages of the same length, at most 128 tokens each. Token 0 is padding and never comes first.
#
# ### HINTS control_flow_export.show_the_trap

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "show_the_trap", "locked": true, "points": 8, "solution": false, "task": false}
check("control_flow_export.show_the_trap")

# %% [markdown]
# ## 2. TorchScript
#
# ### CARD control_flow_export.script_it
#
# `torch.jit.script` reads the source instead of running it, so the file contains ifs and loops. It supports a small, typed subset of
# Python. Write in `scripted.py` `scripted(seed, target)`: `load(seed)` in TorchScript, with the source's inputs and
# output. It is loaded in a process that has no `encoder.py`.
#
# TorchScript is deprecated [since PyTorch 2.10](https://pytorch.org/blog/pytorch-2-10-release-blog/). Its files will be in use for years,
# but do not create new ones.
#
# ### HINTS control_flow_export.script_it

# %%
try:
    torch.jit.script(model)
except RuntimeError as refusal:
    print(str(refusal)[:600])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "script_it", "locked": true, "points": 9, "solution": false, "task": false}
check("control_flow_export.script_it")

# %% [markdown]
# ## 3. Find and remove graph breaks
#
# ### CARD control_flow_export.graph_breaks
#
# `torch.compile` does not need a whole graph: where it cannot continue, it hands over to Python and starts another graph. An export must be
# one graph, so you first have to find the breaks. Write in `graph_breaks.py`:
#
# - `breaks(path)`: the file at `path` has `model()` and `example()`. Return `{"graphs": …, "lines": […]}`: how many
#   graphs TorchDynamo makes of `model()(*example())`, in inference mode, and the lines of that file at which one breaks.
# - `mend(seed, target)`: `triage.load(seed)` as one exported program, for `tokens` int64 `[n, length]` with *n* from 1 to 64 and *length*
#   from 1 to 128, and `kind` int64 `[]`. You may remove its logging, printing and statistics; its return value must stay the same.
#
# ### HINTS control_flow_export.graph_breaks

# %%
import triage

told = torch._dynamo.explain(triage.load(0))(messages(2, 9), torch.tensor(0))
print(told.graph_count, "graphs,", told.graph_break_count, "breaks")
for reason in told.break_reasons[:3]:
    print("-", reason.reason.splitlines()[0])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "graph_breaks", "locked": true, "points": 16, "solution": false, "task": false}
check("control_flow_export.graph_breaks")

# %% [markdown]
# ## 4. Export both branches with torch.export
#
# ### CARD control_flow_export.export
#
# Write in `portable.py` `export(seed, target)`: `load(seed)` as an exported program, written with `torch.export.save`. Inputs in this order:
# `tokens`, int64 `[n, length]`; `kind`, int64 `[]`; output float32 `[n, 8]`. *n* from 1 to 64 and *length* from 1 to 128 are free.
#
# The judge reads the archive as data (PyTorch's own operators only, no Python objects), and runs it without your source on all twelve
# paths: three kinds, short and long, one layer or all. The last check counts the operations of matrix products: an early exit saves nothing
# if the other layers are computed anyway.
#
# ### HINTS control_flow_export.export

# %%
try:
    torch.export.export(model, (messages(2, 20), torch.tensor(0)))
except Exception as refusal:
    print(type(refusal).__name__, str(refusal)[:400], sep="\n")

# %% [markdown]
# Try your export on lengths that it has never seen, and look at its graph: where is the early exit?

# %%
import portable

portable.export(0, str(folder / "encoder.pt2"))
program = torch.export.load(folder / "encoder.pt2")
exported = program.module()
lengths = [1, 2, 7, 20, 31, 32, 33, 40, 64, 100, 128]
worst = {
    (kind, length): largest_difference(exported, model, (messages(3, length), torch.tensor(kind)))
    for kind in (0, 1, 2)
    for length in lengths
}
print("largest difference between export and source; from 33 tokens on the other branch is taken")
print(f"{'tokens':>10}", *(f"{length:>8}" for length in lengths))
for kind, name in enumerate(("both ways", "causal", "prefix")):
    print(f"{name:>10}", *(f"{worst[kind, length]:>8.0e}" for length in lengths))

print("free sizes:", program.range_constraints)
(choice,) = [n for n in program.graph.nodes if n.op == "call_function" and "cond" in str(n.target)]
print("the exit:", choice.target, "of", choice.args[0])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "export", "locked": true, "points": 18, "solution": false, "task": false}
check("control_flow_export.export")

# %% [markdown]
# ## 5. Compile ahead of time with AOTInductor
#
# ### CARD control_flow_export.package
#
# An exported program is a graph, and a runtime has to execute it. AOTInductor compiles it to machine code, in an archive that a process
# loads without Python source. Write:
#
# - in `package_model.py`, `package(exported_path, target)`: the exported program (the judge passes one of ours) as a package.
# - in `service.py`, `answer(package_path, requests_path)`: the requests are JSON, `[{"tokens": […], "kind": …}, …]`, of different kinds and
#   lengths. Return eight numbers for each, in order: the result of that message alone. The judge runs this file in a folder that contains
#   nothing else of yours.
#
# Compiling takes half a minute or more; the judge does it once for all four checks. *Cold start* is measured from an empty process to the
# first answer, and compared with a process that compiles the source with `torch.compile` when the first message arrives.
#
# ### HINTS control_flow_export.package

# %%
import package_model
import service

began = time.monotonic()
package_model.package(str(folder / "encoder.pt2"), str(folder / "package.pt2"))
print(
    f"compiled in {time.monotonic() - began:.0f} s, {(folder / 'package.pt2').stat().st_size / 1e6:.1f} MB"
)

requests = [{"tokens": messages(1, 12)[0].tolist(), "kind": number % 3} for number in range(6)]
(folder / "requests.json").write_text(json.dumps(requests))
answers = service.answer(str(folder / "package.pt2"), str(folder / "requests.json"))
for request, answer in zip(requests, answers, strict=True):
    with torch.inference_mode():
        alone = model(torch.tensor([request["tokens"]]), torch.tensor(request["kind"]))[0]
    print(
        f"kind {request['kind']}: largest difference {float((torch.tensor(answer) - alone).abs().max()):.1e}"
    )

# %% [markdown]
# What would a single batch have returned? Six messages of one kind, together and alone:

# %%
batch = messages(6, 12)
with torch.inference_mode():
    together = model(batch, torch.tensor(0))
    alone = torch.cat([model(row[None], torch.tensor(0)) for row in batch])
print(
    "answers that change in a batch:", int((together - alone).abs().amax(1).gt(1e-3).sum()), "of 6"
)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "package", "locked": true, "points": 20, "solution": false, "task": false}
check("control_flow_export.package")

# %% [markdown]
# ## 6. What torch.jit.freeze does
#
# ### CARD control_flow_export.freeze
#
# Before AOTInductor, `torch.jit.freeze` turned a module's attributes into constants and folded what depends on them;
# `torch.jit.optimize_for_inference` optimized the result further. Write in `freezing.py` `figures(path)`: for a TorchScript file, three
# dicts `"scripted"`, `"frozen"` and `"optimized"`, each with
#
# | key | what is counted in `forward`, inner blocks too |
# | --- | --- |
# | `nodes` | all nodes |
# | `attributes`, `ifs` | `prim::GetAttr`, `prim::If` |
# | `batch_norms`, `dropouts` | `aten::batch_norm`, `aten::dropout` |
# | `mkldnn` | nodes with *mkldnn* in their kind, in any case |
#
# of the graph with its methods inlined; in evaluation mode, whichever mode the file was saved in.
#
# ### HINTS control_flow_export.freeze

# %%
import freezing
import scripted

scripted.scripted(0, str(folder / "encoder.pt"))
for name, counts in freezing.figures(str(folder / "encoder.pt")).items():
    print(f"{name:10}", counts)

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "freeze", "locked": true, "points": 6, "solution": false, "task": false}
check("control_flow_export.freeze")

# %% [markdown]
# ## 7. A decoding step for CUDA graphs
#
# ### CARD control_flow_export.decode_graphs
#
# `decoder.py` writes answers token by token. Its kernels are so small that the GPU waits for the host. A CUDA graph records the step's
# kernels once and repeats them with one launch: the same kernels, the same sizes, the same addresses. No Python code runs in a replay, so
# everything that changes from token to token has to be in tensors. Write in `decode.py`:
#
# - `export_step(seed, target)`: one step for four answers as an exported program. Inputs in this order: `token` int64 `[4]`; `place` int64
#   `[]`; `keys` and `values`, float32 `[3, 4, 4, 64, 16]` each (layer, answer, head, place, width), which the step changes in place. Output
#   float32 `[4, 256]`. The result must not depend on what an earlier answer left in the cache.
# - `generate(seed, first, out)`: as `decoder.generate`. On a GPU the step is a recorded `torch.cuda.CUDAGraph`; elsewhere it runs directly.
#
# On a CPU, the checks look at whether the exported step can be recorded; two more checks run on a GPU, where there is one.
#
# ### HINTS control_flow_export.decode_graphs

# %%
import decode
import decoder

first = torch.randint(decoder.VOCABULARY, (4,), generator=numbers)
want, got = (torch.zeros(4, 40, dtype=torch.int64) for _ in range(2))
decoder.generate(0, first, want)
decode.generate(0, first, got)
print("the same tokens:", torch.equal(want, got))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "decode_graphs", "locked": true, "points": 21, "solution": false, "task": false}
check("control_flow_export.decode_graphs")

# %% [markdown]
# ## 8. Migrate from TorchScript
#
# ### CARD control_flow_export.migration
#
# Write in `migration.py`:
#
# - `inventory(path)`: what in a TorchScript file has to be rewritten. `methods`: sorted names of those that do not begin with an
#   underscore, `forward` too. `ifs` and `loops`: the number of `prim::If` and `prim::Loop` in all of these methods together, inner blocks
#   too, methods inlined. `training`: the mode it was saved in. `parameters`: the number of parameter elements.
# - `successors()`: for each construct below, what replaces it in a model that is deployed without Python. The choices:
#   `torch.export.export`, `torch.export.save`, `torch.export.load`, `torch.compile`, `torch.cond`, `while_loop`, `dynamic_shapes`,
#   `AOTInductor`, `torch.library.custom_op`, `one program each`.
#
# `torch.jit.trace` · `torch.jit.script` · `torch.jit.save` · `torch.jit.load in Python` · `torch::jit::load in C++` · `torch.jit.freeze` ·
# `torch.jit.optimize_for_inference` · `an if on a tensor's value` · `an if on a size` · `a while on a tensor's value` ·
# `@torch.jit.export on a second method` · `@torch.jit.ignore on a function in Python` · `a traced example's fixed batch`
#
# ### HINTS control_flow_export.migration

# %%
import migration

migration.inventory(str(folder / "encoder.pt"))

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "migration", "locked": true, "points": 10, "solution": false, "task": false}
check("control_flow_export.migration")

# %% [markdown]
# ## 9. Diagnose four failed exports
#
# ### CARD control_flow_export.diagnose
#
# `failure_a.txt` to `failure_d.txt` are four programs with line numbers, and PyTorch's output when they ran. Write in `diagnosis.py`
# `diagnosis()`: for each of `"a"` to `"d"` a dict with
#
# - `cause`: one of
#   - `branch_on_data`: an if on a tensor's value;
#   - `fixed_size`: a size that should be free was fixed;
#   - `no_fake_kernel`: an operator whose output shape only its kernel knows;
#   - `recompiles`: a guard that fails each time;
#   - `size_from_data`: a decision on a number of elements that only the data determine.
# - `line`: the line of `forward` that causes it.
# - `name`: the operator, the attribute, the dimension or the symbol that the log names, as it is written there.
#
# Each failure earns a quarter of the points.
#
# ### HINTS control_flow_export.diagnose

# %%
print(Path("failure_c.txt").read_text()[:1400])

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "diagnose", "locked": true, "points": 8, "solution": false, "task": false}
check("control_flow_export.diagnose")

# %% [markdown]
# ## 10. A loop with a data-dependent end, in one kernel
#
# ### CARD control_flow_export.loop_in_kernel
#
# Sparsemax is a softmax with exact zeros: `max(x - tau, 0)`, with the `tau` of each row for which the results add up to 1. `sparsemax.py`
# implements it as a loop in eager PyTorch, `eager`: drop entries below `tau` and recompute `tau` until no entry is dropped. After each step
# the host waits for the device to learn whether any row needs another step, and all rows take as many steps as the slowest.
#
# Write `sparsemax(x, out)` there, with a Triton kernel of your own whose loop decides by itself when to end. `x` and `out` are float32
# `[rows, columns]`, contiguous, up to 8192 columns; every row has a finite element, and some may be −inf, whose result is 0.
#
# Without a GPU the kernel runs in Triton's interpreter. Two more checks run on a GPU, where there is one.
#
# ### HINTS control_flow_export.loop_in_kernel

# %%
import sparsemax

x = 0.1 * torch.randn(3, 500, generator=numbers)
shares = torch.empty_like(x)
sparsemax.eager(x, shares)
print("sums:", shares.sum(-1).tolist())
print("of 500 numbers have a part:", (shares > 0).sum(-1).tolist())

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "loop_in_kernel", "locked": true, "points": 18, "solution": false, "task": false}
check("control_flow_export.loop_in_kernel")

# %% [markdown]
# ## 11. Let each message decide on the device
#
# ### CARD control_flow_export.decide_on_gpu
#
# In a batch, the encoder's early exit depends on all messages, so task 5 ran them one at a time. On a GPU that is the most expensive way:
# the work for one message is far smaller than a launch, and at `int(kind)` and at the exit the host waits for the device.
#
# Write `route(seed, tokens, kinds, out)` in `deciding.py`: all messages in one batch, each with its own three decisions. `one_by_one` there
# is the reference. `tokens` is int64 `[n, 128]`, each message's tokens followed by zeros; `kinds` is int64 `[n]`; `out` is float32 `[n,
# 8]`. All are in host memory.
#
# - A message's kind, its own length (not that of the batch) and its own confidence decide.
# - Its scores are those of the message alone, in float32, without TF32.
#
# ### HINTS control_flow_export.decide_on_gpu

# %%
import deciding

messages = torch.randint(1, encoder.VOCABULARY, (30, 128), generator=numbers)
messages[torch.arange(128) >= torch.randint(1, 129, (30, 1), generator=numbers)] = encoder.PADDING
kinds = torch.randint(3, (30,), generator=numbers)
want, got = torch.zeros(30, 8), torch.zeros(30, 8)
deciding.one_by_one(0, messages, kinds, want)
try:
    deciding.route(0, messages, kinds, got)
    print("largest difference:", (got - want).abs().max().item())
except NotImplementedError as error:
    print(f"Not yet: {error}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "decide_on_gpu", "locked": true, "points": 11, "solution": false, "task": false}
check("control_flow_export.decide_on_gpu")

# %% [markdown]
# ## 12. A transformers class with branches
#
# ### CARD control_flow_export.hugging_face
#
# `routed.py` is a `BertPreTrainedModel` of Hugging Face's `transformers`: a `BertModel` (2 layers of 48, untrained; BERT-base is the same
# class with another configuration) whose `forward` adds two branches. The kind decides the attention mask, and the length decides how the
# words are pooled. Write in `hugging_face.py`:
#
# - `to_torchscript(seed, target)`: `load(seed)` as a TorchScript file, with the source's inputs and output. It is loaded in a process that has neither `routed.py` nor `transformers`.
# - `to_export(seed, target)`: `load(seed)` as an exported program, written with `torch.export.save`. *n* from 1 to 64 and *length* from 1 to 128 are free.
#
# The class is in the optional group `transformers`: `pip install 'hotloop[transformers]'`.
#
# ### HINTS control_flow_export.hugging_face

# %%
try:
    import routed
except ImportError as missing:
    print(f"Not here: {missing}. pip install 'hotloop[transformers]'")
else:

    def words(length):
        return torch.randint(1, routed.VOCABULARY, (1, length), generator=numbers)

    hugging = routed.load(0)
    try:
        torch.jit.script(hugging)
    except Exception as refusal:
        print("script:", type(refusal).__name__, str(refusal)[:160])
    hugging_trace = torch.jit.trace(hugging, (words(20), torch.tensor(1)), check_trace=False)
    for name, length, kind in (
        ("the example's kind", 20, 1),
        ("another kind", 20, 0),
        ("a longer one", 60, 1),
    ):
        given = (messages(1, length), torch.tensor(kind))
        print(
            f"{name:20} largest difference {largest_difference(hugging_trace, hugging, given):.1e}"
        )

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "hugging_face", "locked": true, "points": 15, "solution": false, "task": false}
check("control_flow_export.hugging_face")

# %% [markdown]
# ## 13. Write the report
#
# ### CARD control_flow_export.report
#
# One page for the team that runs the service:
#
# 1. How you know that the package decides as the source does: on which paths, with which largest difference, on how many messages.
# 2. One row for each form (trace, TorchScript, exported program, package): the paths on which it is right, whether the early exit saves
#    anything, size, first answer, time of a call with its spread.
# 3. What was not measured, why, and what you would measure first with a GPU.
# 4. What you would ship, and which change of model or PyTorch would break it.
#
# ### HINTS control_flow_export.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION control_flow_export.report
# ### STUB Write your report here.
# **How I know.** Messages were drawn for each of the twelve ways, and for lengths 1, 32, 33 and 128 at the edges. What each form says was compared with the source in float64.
# None of these messages was used for the export. Messages whose confidence lies near the limit were left out: there rounding decides, and that is a property of the model.
#
# | form | right on | early exit saves | needs |
# | --- | --- | --- | --- |
# | trace | the example's way | no choice is left | TorchScript, deprecated |
# | TorchScript | all twelve | yes | TorchScript, deprecated |
# | exported program | all twelve | yes | PyTorch in Python |
# | package | all twelve | yes | PyTorch's libraries, the same CPU features |
#
# First answer and time of a call are the judge's figures of task 5, one process each; this page does not repeat them, as they belong to one machine.
#
# **Not measured.** CUDA graphs: no GPU here. The step keeps its shapes and addresses, which the export shows; what a replay saves has to be seen on a GPU,
# first as tokens a second with one answer, where the host's share is largest.
#
# **What I would ship.** The package, one for each CPU type, with the exported program beside it, as that is what one compiles again for a new PyTorch. A new kind of mask changes the graph: export and
# compare again. A message longer than 128 is refused by the service, since the places end there.
# ### END SOLUTION
