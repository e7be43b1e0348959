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
# # Serve an ensemble on Triton Inference Server
#
# A small BERT classifies sentences by topic and returns the topic with a confidence.
# By the end you serve it as an ensemble on a real Triton Inference Server, call it from a client, roll out a second
# version as a canary, and tune it.
#
# How it works here:
#
# - You write files next to this notebook: configurations (`config.pbtxt`) and Python models (`model.py`). Open them in
#   JupyterLab's editor (double-click in the file list), save, and run the cell with `check(…)` here.
# - The judge starts a real tritonserver with your files and sends it texts that you have not seen. For each task it takes
#   only your part and adds a working model repository around it, so that a mistake in one task costs nothing in another.
# - You need neither a GPU nor a container. Once, in a terminal: `hotloop doctor --install tritonserver` (about 500 MB). Without it, tasks 1
#   to 8 say `not_measured`, and their points are pending. So do the checks of tasks 9 and 10 that need a GPU.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `repository/` | tasks 1 to 3: a folder for each model |
# | `client.py` | task 4: your client |
# | `canary/`, `routing.py` | task 5: two versions, and routing between them |
# | `deployment_*.json` | task 6: recorded deployments, four faulty ones and a healthy one |
# | `tuned/` | task 7: the same models, set up for a load |
# | `load_test.py`, `by_report/` | task 8: perf_analyzer, and bert set up by its report |
# | `pooling.py` | task 9: from hidden states to embeddings on the device |
# | `classifier.py`, `batching.py` | task 10: a model on the device, and your calls of it |
# | `bert_export.py`, `base/` | task 11: Hugging Face's BERT as ONNX, and its configuration |
# | `keras_model.py`, `tf_export.py` | task 12: a Keras model for two servers |
# | `tfs_messages.py`, `tfs_server.py` | task 13: a server for TensorFlow Serving's clients |
# | `served.py` | serves these folders for you to try; you need not change it |

# %%
import served
from hotloop import check

# %% [markdown]
# ## 1. Lay out a model repository
#
# ### CARD triton_ensemble.repository_layout
#
# Four models. Write the four `config.pbtxt` in `repository/`:
#
# | model | runs | in | out |
# | --- | --- | --- | --- |
# | `preprocess` | `1/model.py`, Python | `TEXT`: a text as bytes, one a row | `input_ids`, `attention_mask`: int64, 32 a row |
# | `bert` | `1/model.onnx`, onnxruntime | `input_ids`, `attention_mask`: int64, 32 a row | `logits`: float32, 6 a row |
# | `postprocess` | `1/model.py`, Python | `logits`: float32, 6 a row | `TOPIC`: a text, `CONFIDENCE`: float32, one a row |
# | `topics` | the other three, one after the other | `TEXT` | `TOPIC`, `CONFIDENCE` |
#
# Texts are `TYPE_STRING`, int64 is `TYPE_INT64`, float32 `TYPE_FP32`. Up to 16 rows are computed at once, by one instance of
# each model on the CPU: `instance_group [ { kind: KIND_CPU count: 1 } ]`. An ensemble has no instances, but a version: a
# folder `repository/topics/1` with any file in it. The ONNX model and the tokenizer are put in for you.
#
# ### HINTS triton_ensemble.repository_layout

# %%
print("\n".join(served.problems("repository")) or "The static check finds nothing.")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "repository_layout", "locked": true, "points": 12, "solution": false, "task": false}
check("triton_ensemble.repository_layout")

# %% [markdown]
# Serve it yourself. The answers are meaningful once tasks 2 and 3 are done.

# %%
if served.here():
    try:
        with served.server("repository") as running:
            print(
                served.ask(
                    running, ["Open the file and read it line by line.", "Add two decimals."]
                )
            )
    except Exception as error:
        print(f"Not yet: {error}")

# %% [markdown]
# ## 2. Python backend: tokenize a batch
#
# ### CARD triton_ensemble.preprocess_backend
#
# Write `execute` in `repository/preprocess/1/model.py`. It gets a list of requests, each with one or more texts, and returns one response
# for each, in their order.
#
# - A request's input is `pb.get_input_tensor_by_name(request, "TEXT").as_numpy()`; a response with outputs is
#   `pb.InferenceResponse([pb.Tensor(name, array), …])`, and one with an error `pb.InferenceResponse(error=error)`, where
#   `error` is a `pb.TritonError("why")`.
# - `TEXT` is an array of bytes objects, shape `[rows, 1]`. `input_ids` and `attention_mask` are int64, `[rows, 32]`; the
#   tokenizer pads and truncates.
# - A request with a text that is empty (or only whitespace) or that is not UTF-8 gets its own error. All others get their answers.
# - The server calls `execute` with requests of *different* callers. If you raise an exception, all of them receive it.
#
# ### HINTS triton_ensemble.preprocess_backend

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "preprocess_backend", "locked": true, "points": 10, "solution": false, "task": false}
check("triton_ensemble.preprocess_backend")

# %% [markdown]
# ## 3. Python backend: logits to labels
#
# ### CARD triton_ensemble.postprocess_backend
#
# Write `execute` in `repository/postprocess/1/model.py`: for each row of `logits` the name of the most probable topic, and its probability
# after a softmax. `TOPIC` and `CONFIDENCE` have the shape `[rows, 1]`. A request in which a logit is not finite gets an error.
#
# ### HINTS triton_ensemble.postprocess_backend

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "postprocess_backend", "locked": true, "points": 8, "solution": false, "task": false}
check("triton_ensemble.postprocess_backend")

# %% [markdown]
# ## 4. A client with retries and deadlines
#
# ### CARD triton_ensemble.client
#
# Write `classify(texts, protocol, http_port, grpc_port, version, deadline_s)` in `client.py` beside this
# notebook, with `tritonclient.http` and `tritonclient.grpc`. It returns an entry for each text, in order:
# `{"topic": "files", "confidence": 0.93}`, or `{"error": …}`.
#
# - **Batches.** At most `MAX_BATCH_SIZE` texts in a request, in as few requests as that allows, and all of a
#   call's requests over one connection.
# - **Version.** Use the given version; `None` leaves the choice to the server.
# - **Deadline.** `deadline_s` is for the whole call, however many requests it takes. Keep the answers that have arrived by then; the other
#   texts get the error `"deadline"`. Do not give up earlier.
# - **Refusals.** HTTP's 503 and gRPC's `UNAVAILABLE` mean that the server is too busy *now*: wait 40 ms or more, longer each time, and try
#   again, seven times at most. If that does not help: `"refused"`.
# - **Every other error** is the fault of the request, and a retry does not help: return `"bad_request"`, at once.
#
# The judge runs your file in a sandbox, against a real server over a repository of ours. The judge is a proxy between them: it records
# requests, delays responses by some seconds and rejects some.
#
# ### HINTS triton_ensemble.client

# %% [markdown]
# Try it by hand on your own repository. Without a notebook: `hotloop serving $(python served.py repository)` in one terminal (`served.py`
# adds the large files and prints the folder), `python client.py http PORT "Open the file."` in another.

# %%
import importlib

import client

importlib.reload(client)
if served.here():
    try:
        with served.server("repository") as running:
            ports = (running.ports.http, running.ports.grpc)
            for protocol in ("http", "grpc"):
                print(protocol, client.classify(served.some_texts(3), protocol, *ports, None, 5.0))
                print(protocol, client.classify(["Open the file."], protocol, *ports, "999", 5.0))
    except RuntimeError as error:
        print(f"Not yet: {error}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "client", "locked": true, "points": 14, "solution": false, "task": false}
check("triton_ensemble.client")

# %% [markdown]
# ## 5. Roll out a canary version
#
# ### CARD triton_ensemble.versions
#
# There is a version 2 of bert: equally accurate, and less confident. Five percent of the users should get it, and a user who has it must
# keep it while the share grows.
#
# - `canary/bert/config.pbtxt`: your configuration of task 1, plus the served versions. Both are in the folder.
# - `canary/topics/config.pbtxt` and `canary/topics_canary/config.pbtxt`: your ensemble, and which version of bert each uses.
# - `routing.py`: `route(users, share, experiment)` returns the ensemble for each user, `"topics"` or `"topics_canary"`. The result must be
#   the same tomorrow, on another machine and in another process; another experiment must select other users.
#
# ### HINTS triton_ensemble.versions

# %%
print("\n".join(served.problems("canary")) or "The static check finds nothing.")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "versions", "locked": true, "points": 12, "solution": false, "task": false}
check("triton_ensemble.versions")

# %% [markdown]
# Try it: how much do the answers of the two differ?

# %%
if served.here():
    try:
        with served.server("canary") as running:
            for ensemble in ("topics", "topics_canary"):
                print(
                    ensemble,
                    served.ask(running, ["A thread holds the lock until it ends."], ensemble),
                )
    except Exception as error:
        print(f"Not yet: {error}")

# %% [markdown]
# ## 6. Read Triton's metrics
#
# ### CARD triton_ensemble.read_metrics
#
# The server's own timings are at `/metrics`, as text: one counter per line, summed up since it was started. Look at one reading first.

# %%
import json
from pathlib import Path

STEPS = ("preprocess", "bert", "postprocess")
NAMES = ("healthy_alone", "healthy", "a", "b", "c", "d")
deployments = {
    name: json.loads(Path(f"deployment_{name}.json").read_text(encoding="utf-8")) for name in NAMES
}
print(deployments["healthy"]["after"])

# %% [markdown]
# Write `figures(before, after, model, seconds)`: two such texts, the name of a model, and the seconds between
# the readings. It returns a dict about what happened **in between**:
#
# | key | what |
# | --- | --- |
# | `requests` | requests that succeeded (`nv_inference_request_success`) |
# | `failed` | requests that failed, for whatever reason (`nv_inference_request_failure`) |
# | `mean_batch` | inferences divided by executions (`nv_inference_count`, `nv_inference_exec_count`): rows per run |
# | `request_us` | microseconds in the server, per successful request (`nv_inference_request_duration_us`) |
# | `queue_us` | of those, waiting (`nv_inference_queue_duration_us`) |
# | `input_us`, `infer_us`, `output_us` | copying in, computing, copying out (`nv_inference_compute_…_duration_us`) |
# | `queue_share` | `queue_us` divided by `request_us` |
# | `rows_per_s` | inferences a second |
#
# - A request may have several rows, and an execution several requests. Times are per *request*: the server adds the full time of an
#   execution to each request in it, so eight requests in one execution each count all of its time.
# - Add up all versions of the model, and all of its GPUs. A version that was loaded in between is not in the first text.
# - Labels may be in any order, and some lines are about other models or other metrics.
# - Undefined values are `None`: a time per request when no request succeeded, a batch when nothing was executed. `requests`, `failed` and
#   `rows_per_s` are then 0.


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "read_metrics_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION triton_ensemble.read_metrics figures
### STUB def figures(before, after, model, seconds):
### STUB     raise NotImplementedError("triton_ensemble.read_metrics")
import re
from collections import Counter


def figures(before, after, model, seconds):
    gained = totals_of(after, model)
    gained.subtract(totals_of(before, model))

    def grown(name):
        return gained[f"nv_inference_{name}"]

    def each(name):
        return ratio(grown(f"{name}_duration_us"), grown("request_success"))

    return {
        "requests": grown("request_success"),
        "failed": grown("request_failure"),
        "mean_batch": ratio(grown("count"), grown("exec_count")),
        "request_us": each("request"),
        "queue_us": each("queue"),
        "input_us": each("compute_input"),
        "infer_us": each("compute_infer"),
        "output_us": each("compute_output"),
        "queue_share": ratio(grown("queue_duration_us"), grown("request_duration_us")),
        "rows_per_s": grown("count") / seconds,
    }


def totals_of(text, model):
    """The sum of each counter over everything that has this model's label."""
    totals = Counter()
    for line in text.splitlines():
        found = re.match(r"(\w+)\{(.*)\}\s+(\S+)$", line)
        if found and dict(re.findall(r'(\w+)="([^"]*)"', found[2])).get("model") == model:
            totals[found[1]] += float(found[3])
    return totals


def ratio(part, whole):
    return part / whole if whole else None


### END SOLUTION

# %% [markdown]
# ### Four faulty deployments
#
# `deployment_a.json` to `deployment_d.json` are recordings of real servers over this module's ensemble, each slow for one reason.
# `deployment_healthy.json` is a healthy one with 16 concurrent clients, like three of the four; `deployment_healthy_alone.json` is the same
# one with a single client. perf_analyzer sent one text at a time, and each client sent the next as soon as it had its answer.
#
# | in a recording | what |
# | --- | --- |
# | `before`, `after`, `seconds` | two readings of `/metrics` under load, and the time between them |
# | `client_us` | the mean latency that the clients saw, in microseconds |
# | `perf_analyzer` | the table that perf_analyzer wrote |
# | `executions` | from the statistics in between: per model and batch size, how many executions and their mean time |
# | `configs`, `load`, `machine`, `versions`, `date` | what was served, how it was asked, and where |


# %%
def show(name):
    """A recording, in figures of yours."""
    d = deployments[name]
    found = {m: figures(d["before"], d["after"], m, d["seconds"]) for m in ("topics", *STEPS)}
    outside = d["client_us"] - found["topics"]["request_us"]
    print(
        f"{name}: {d['load']['clients']} clients, {d['client_us']} us each, {outside:.0f} outside"
    )
    for model, own in found.items():
        times = {key: round(own[key]) for key in own if key.endswith("_us")}
        print(
            f"  {model:12} batch {own['mean_batch']:5.2f}",
            *(f"{k} {v:6}" for k, v in times.items()),
        )


# Once your `figures` is right: these two, and then the others.
try:
    show("healthy")
    show("a")
except NotImplementedError:
    print("Not yet: write `figures` first.")

# %% [markdown]
# Find the cause of each:
#
# - `delay`: requests wait in a batcher for other requests that do not come, before a step that is idle.
# - `row_by_row`: a step processes the rows of its batches one after the other, in slow code, and holds up the rest.
# - `oversubscribed`: a step computes with more threads than there are cores, so the threads compete for cores.
# - `outside`: the time is lost outside the server: in the network, in a gateway, in encoding, or in a client that is too busy.
#
# Write `diagnosis()`: it returns a dict with `"a"`, `"b"`, `"c"` and `"d"`, each `{"cause": …, "model": …,
# "evidence": …, "share": …}`. `model` is the step to fix, or `None` if it is none of them.
# `evidence` is the figure of that step that shows the lost time: `"queue_us"`, `"input_us"`, `"infer_us"` or
# `"output_us"`, or `"outside_us"`, which is `client_us` less `request_us` of the ensemble. `share` is that figure
# by `client_us`, right within 3 %. Work them out in cells of your own, then write the results down. Each earns a quarter.
#
# Do not look for the answer in `configs` alone: some settings there look odd and cost nothing.
#
# ### HINTS triton_ensemble.read_metrics


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "read_metrics_diagnosis_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION triton_ensemble.read_metrics diagnosis
### STUB def diagnosis():
### STUB     raise NotImplementedError("triton_ensemble.read_metrics")
def diagnosis():
    return {
        "a": {"cause": "row_by_row", "model": "preprocess", "evidence": "infer_us", "share": 0.413},
        "b": {"cause": "outside", "model": None, "evidence": "outside_us", "share": 0.957},
        "c": {"cause": "delay", "model": "postprocess", "evidence": "queue_us", "share": 0.762},
        "d": {"cause": "oversubscribed", "model": "bert", "evidence": "infer_us", "share": 0.490},
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_metrics", "locked": true, "points": 20, "solution": false, "task": false}
check("triton_ensemble.read_metrics")

# %% [markdown]
# ## 7. Tune throughput and latency
#
# ### CARD triton_ensemble.tune
#
# `tuned/` is for the same four models: copy your configurations of task 1 there. Then change how they are scheduled: `dynamic_batching`,
# `preferred_batch_size`, `max_queue_delay_microseconds`, `instance_group`, `max_batch_size`, bert's threads (`parameters { key:
# "intra_op_thread_count" value: { string_value: "1" } }`; the default is 1). Their inputs, outputs and files stay unchanged.
#
# Two loads count. With sixteen clients, each sending the next request as soon as it has its answer, throughput must rise and the p95 must
# not get worse. And a single client must not get slower. The judge queries both servers in alternation, yours and one without any batcher,
# with texts that no cache has seen, on the same cores. It takes about a minute.
#
# **Predict first**: how will your setting change the latency of one client? Write it down, then measure.
#
# ### HINTS triton_ensemble.tune

# %%
if served.here():
    try:
        served.compare("repository", "tuned")
    except Exception as error:
        print(f"Not yet: {error}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tune", "locked": true, "points": 18, "solution": false, "task": false}
check("triton_ensemble.tune")

# %% [markdown]
# ## 8. Tune a model by perf_analyzer's report
#
# ### CARD triton_ensemble.perf_analyzer
#
# perf_analyzer is NVIDIA's load generator for Triton, and colleagues will ask you for its report. `hotloop doctor --install tritonserver`
# installed it beside the server. Here you measure one model, `bert`, for which it can generate inputs with `--input-data zero`.
#
# In `load_test.py` write:
#
# - `sweep(program, variables, port, model, clients)`: run perf_analyzer at each concurrency of the list, and return
#   `{"report": …, "rows": […]}`: the CSV that it writes with `--verbose-csv`, one row for each load, and each row as
#   `{"clients": …, "per_second": …, "p95_us": …}`. A sweep of three loads may take two minutes.
# - `choose(reports, most_p95_us)`: from the reports of several settings, the row with the most inferences a second whose p95 is at
#   most the limit, as `{"setting": …, "clients": …, "per_second": …, "queue_share": …}`. `queue_share` is Server Queue
#   divided by Avg latency. `None` if no row is within the limit.
#
# Then set `max_batch_size`, `preferred_batch_size` and the count of `instance_group` in `by_report/bert/config.pbtxt`, one at a
# time, by your own sweeps. The judge runs perf_analyzer on your bert and on the untuned one in turn, with 16 clients and with one.
#
# *Predict first*: a second instance of bert on a CPU with two cores. How do throughput and p95 change?
#
# ### HINTS triton_ensemble.perf_analyzer

# %%
if served.here():
    try:
        print(served.analyzed("repository"))
        print(served.analyzed("by_report"))
    except Exception as error:
        print(f"Not yet: {error}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "perf_analyzer", "locked": true, "points": 15, "solution": false, "task": false}
check("triton_ensemble.perf_analyzer")

# %% [markdown]
# ## 9. Pool hidden states on the device
#
# ### CARD triton_ensemble.pool_on_gpu
#
# Many ensembles end in an embedding instead of a topic: the mean of a text's tokens, divided by its length. With
# `instance_group [ { kind: KIND_GPU } ]` a Python backend may keep its tensors on the device: the parameter
# `FORCE_CPU_ONLY_INPUT_TENSORS` set to `"no"`, `torch.from_dlpack(tensor.to_dlpack())` for an input, and
# `pb.Tensor.from_dlpack(name, torch.utils.dlpack.to_dlpack(result))` for an output. What is left is the step itself.
#
# Write `pool(hidden, mask, out)` in `pooling.py`, with a Triton kernel of your own: `hidden` is `[rows, length, width]`,
# float16, bfloat16 or float32, contiguous, with a width up to 1024; `mask` is bool `[rows, length]`, true for a token;
# `out` is float32 `[rows, width]`.
#
# - Each row of `out`: the mean of the row's tokens, divided by its Euclidean norm; zeros for a row without a token.
# - Padding may hold any values, infinities too. It must not affect the result, and need not be read.
# - Add up in float32, whatever the dtype of `hidden` is.
#
# Without a GPU the kernel runs in Triton's interpreter. Two more checks run on a GPU, where there is one; they do not
# need the server.
#
# ### HINTS triton_ensemble.pool_on_gpu

# %% [markdown]
# Try it in a terminal: `TRITON_INTERPRET=1 python pooling.py`.

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "pool_on_gpu", "locked": true, "points": 19, "solution": false, "task": false}
check("triton_ensemble.pool_on_gpu")

# %% [markdown]
# ## 10. Batch requests on the device
#
# ### CARD triton_ensemble.batch_on_gpu
#
# A batcher collects requests; the gain depends on what the model does with them. `classifier.py` is a small encoder, on a GPU where there
# is one. Its `answer` makes one call for each request: at this size a GPU spends nearly all of that time waiting for the next launch.
#
# Write `answer(seed, tokens, out)` in `batching.py`: the same answers with few calls. `tokens` is int64 `[requests, 64]`, each request's
# tokens followed by zeros; `out` is float32 `[requests, 6]`. Both are in host memory.
#
# - Each request gets the same probabilities as alone, within 0.0001. So stay with float32, without TF32.
# - Any number of requests, of all lengths from 1 to 64.
# - The model of one seed may be loaded once: `classifier.load` does that.
#
# ### HINTS triton_ensemble.batch_on_gpu

# %%
import batching
import classifier
import torch

requests = torch.randint(1, classifier.VOCABULARY, (40, classifier.LONGEST))
requests[torch.arange(classifier.LONGEST) >= torch.randint(1, 65, (40, 1))] = classifier.PADDING
want, got = torch.zeros(40, classifier.TOPICS), torch.zeros(40, classifier.TOPICS)
classifier.answer(0, requests, want)
try:
    batching.answer(0, requests, got)
    print("largest difference:", (got - want).abs().max().item())
except NotImplementedError as error:
    print(f"Not yet: {error}")

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "batch_on_gpu", "locked": true, "points": 17, "solution": false, "task": false}
check("triton_ensemble.batch_on_gpu")

# %% [markdown]
# ## 11. Export Hugging Face's BERT to ONNX
#
# ### CARD triton_ensemble.bert_export
#
# The network in `bert/1/model.onnx` is a BERT of two layers and a hidden size of 128 (684,678 parameters) with the parameter names of
# Hugging Face's `BertForSequenceClassification`. Here you export such a file from the class itself. Write `to_onnx(config, weights,
# target)` in `bert_export.py`. `config` and `weights` are the paths of a checkpoint's `config.json` and `model.safetensors`, as
# `save_pretrained` writes them.
#
# | | name | type | shape |
# | --- | --- | --- | --- |
# | in | `input_ids`, `attention_mask` | int64 | batch, length: both free, from 1 on |
# | out | `logits` | float32 | batch, labels |
#
# One file, with its weights in it. The first two checks use small checkpoints: 2 to 3 layers, a hidden size of 32 to 64. `base` asks for BERT-base as it was published: `BertConfig()` has its sizes, 12 layers of
# 768, 30,522 tokens, texts of up to 512; its 109 million weights are made for the judging, 438 MB.
#
# `serves` starts a Triton server with that file and `base/bert_base/config.pbtxt`, which you write: `bert_base`, two labels, at most 8 rows, texts of any length, one instance on the CPU, and a batcher without a delay. To try it:
# `python bert_export.py base FOLDER && hotloop serving FOLDER`.
#
# The class is in the optional group `transformers`, ONNX Runtime in `onnx`: `pip install 'hotloop[onnx,transformers]'`. Your function has the judge's usual 4 GiB of memory for BERT-base too, with all files that it writes.
#
# ### HINTS triton_ensemble.bert_export

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "bert_export", "locked": true, "points": 17, "solution": false, "task": false}
check("triton_ensemble.bert_export")

# %% [markdown]
# ## 12. A Keras model for two servers
#
# ### CARD triton_ensemble.saved_model
#
# TensorFlow Serving serves a **SavedModel**: a folder with the graph, the variables, and signatures that name inputs and outputs.
# `keras_model.py` has a small Keras model. Write in `tf_export.py`:
#
# - `to_saved_model(seed, target)`: `load(seed)` as a zip of a SavedModel, with `saved_model.pb` at its top. `serving_default` takes `images`, float32 `[batch, 16, 24, 3]`, and gives `scores`, float32 `[batch, 5]`; the batch is free.
# - `to_onnx(seed, target)`: the same for Triton's onnxruntime backend, by `tf2onnx`, with the same names and sizes.
# - `to_triton(path, body, signature)`: a predict request of TensorFlow Serving's REST interface as one of the open inference protocol, `[path, body]`. `signature` is JSON with each input's datatype by name. Return `None` for a body with both or neither of `instances` and `inputs`, and for a path with a label, which Triton does not have.
# - `from_triton(request, answer)`: Triton's answer in the form that TensorFlow Serving would give to `request`. All bodies are JSON texts.
#
# | | rows | columns |
# | --- | --- | --- |
# | request | `{"instances": [row, …]}`; a row is a value, or `{name: value}` for several inputs | `{"inputs": value}`, or `{name: value}` |
# | answer | `{"predictions": [row, …]}` | `{"outputs": value}`, or `{name: value}` |
#
# The first two checks need `pip install 'hotloop[tensorflow]'`.
#
# ### HINTS triton_ensemble.saved_model

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "saved_model", "locked": true, "points": 12, "solution": false, "task": false}
check("triton_ensemble.saved_model")

# %% [markdown]
# ## 13. A server for TensorFlow Serving's clients
#
# ### CARD triton_ensemble.tf_serving
#
# TensorFlow Serving's clients speak gRPC: `PredictionService/Predict` takes a `PredictRequest` and returns a `PredictResponse`. `tfs_messages.py` has these messages with TensorFlow Serving's own names and field numbers, so that a client
# with the package `tensorflow-serving-api` sends the same bytes. Write in `tfs_server.py`:
#
# - `to_array(tensor)`: a `TensorProto` as a NumPy array, and `to_tensor(array)`: the reverse. Values are in `tensor_content`, as little-endian bytes, or in the field of their type. If the field has fewer values than the shape has elements,
#   the last value stands for the rest; without any value all are zero.
# - `Server(base, labels)`: `base/MODEL/VERSION` is a SavedModel; a folder whose name is no number is no version. `labels` has versions by label, for each model.
# - `Server.predict(request)`: the `PredictResponse`, or `raise tfs.Refused(status, text)`. A request without a version gets the highest
#   one, one without a signature `serving_default`, one without `output_filter` all outputs. The response's `model_spec` names the model,
#   version and signature that answered.
#
# | the request has | status |
# | --- | --- |
# | an unknown model or version | `NOT_FOUND` |
# | an unknown label | `INVALID_ARGUMENT` |
# | an unknown signature | `FAILED_PRECONDITION` |
# | an input missing, too many, or of another type or shape; bytes that do not fill a shape | `INVALID_ARGUMENT` |
# | an output in the filter that is unknown, or is there twice | `INVALID_ARGUMENT` |
#
# These are the statuses in TensorFlow Serving's source. `python tfs_server.py BASE PORT` serves a folder by gRPC. The last two checks need `pip install 'hotloop[tensorflow]'`.
#
# ### HINTS triton_ensemble.tf_serving

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tf_serving", "locked": true, "points": 13, "solution": false, "task": false}
check("triton_ensemble.tf_serving")

# %% [markdown]
# ## 14. Write the report
#
# ### CARD triton_ensemble.report
#
# One page for the team that runs the service:
#
# 1. Which load it is set up for, and which settings you chose.
# 2. What each change gained: throughput and p95 with 1, 4 and 16 clients, one change at a time, how measured and how certain.
# 3. Where the time goes now, by the server's own numbers, and what you would do next. (Inside `with served.server("tuned")
#    as running:`, `running.metrics_text()` is `/metrics`: read it before and after `served.measure(running, 16)`.)
# 4. What you tried and rejected, and what another load would need.
#
# ### HINTS triton_ensemble.report

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "report", "locked": false, "points": 10, "solution": true, "task": false}
# ### BEGIN SOLUTION triton_ensemble.report
# ### STUB Write your report here.
# **For which load.** Up to sixteen callers who wait for their answers, and often one who is alone at night. Set: a
# batcher without a delay in all three steps, one instance each.
#
# **What it brought**, each setting against the untuned server in the same minutes (A B B A, ten rounds, windows of 512
# and of 128 requests, servers on one core, the generator on the other; medians, quartiles within 5 %):
#
# | setting | 16 clients, a second | p95 | one client, a second |
# | --- | --- | --- | --- |
# | untuned | 985 | 16.6 ms | 878 |
# | a batcher in bert only | 960 | 17.2 ms | 857 |
# | a batcher in all three | 1474 | 11.8 ms | 850 |
# | … and two instances of the Python steps | 1503 | 11.5 ms | 791 |
# | … or a delay of 2 ms, preferring 8 and 16 | 1570 | 11.1 ms | 125 |
# | eight instances of each | 1367 | 12.7 ms | 507 |
#
# The third row is what I would ship. Two of the same repositories differed by 3 % with one client: the second instances'
# gain at sixteen is no more than that. The delay wins at sixteen and loses six sevenths alone.
#
# **Where the time goes now.** bert's executions have 5 rows in the mean; the histogram has many ones, which are requests that met an
# idle instance. The network alone would need 44 % of the time: the rest is Python, three processes and copies between them.
# Next I would put preprocessing and postprocessing into the clients, or into one model, and measure again.
#
# **Left out.** The response cache: our texts do not repeat. A queue limit: at sixteen waiting callers the queue is bounded by
# themselves; in front of the open internet I would set one. On more cores I would look at instances again.
# ### END SOLUTION
