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
# # An LLM serving engine
#
# A server of a language model has one scarce resource that other servers do not have: every request occupies memory for as long as it runs,
# and more of it with every token. In this notebook you write the parts of an engine that follow from that, put them behind an
# OpenAI-compatible endpoint, and plan a deployment from a data sheet.
#
# How it works here:
#
# - Most code is written in files beside this notebook. Open them in JupyterLab's editor, save, and run the cell with `check(…)`
#   here. A separate judge process calls your code on hidden inputs and tells you what it saw.
# - No GPU is needed. The model is a decoder of 95,000 weights that was trained on Hotloop's own lessons, one character per token. It writes
#   nonsense, but it attends to all tokens before, so a wrong block gives wrong characters.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `blocks.py`, `attention.py`, `scheduler.py`, `speculative.py`, `server.py` | yours: tasks 1 to 5 |
# | `attention_triton.py` | yours: task 8, in Triton |
# | `model.py`, `decoder.npz`, `runner.py` | the decoder, its weights, and what runs a batch through it over your pages |
# | `simulator.py`, `step_times.json` | the model of time in which task 3 is judged, and the recorded times that it counts with |
# | `http_server.py`, `load.py`, `aiperf_tokenizer.py` | sockets around your server, an open-loop load generator, and what AIPerf needs to count characters |
# | `metrics_*.prom` | readings of `/metrics` from recorded runs of Hotloop's engine |

# %%
import json

from hotloop import check

# %% [markdown]
# ## 1. A block manager
#
# ### CARD llm_serving_engine.block_manager
#
# Write `BlockManager` in `blocks.py`. A pool has `blocks` blocks with room for `size` tokens. Each sequence has a **block table**; its
# token t is in block `table[t // size]`, slot `t % size`.
#
# - `add(sequence, tokens)` gives a new sequence its blocks and returns how many of its first tokens are cached already. The
#   **prefix cache** holds full blocks, each by *all* tokens up to its end: keys and values depend on everything before them.
#   Take the longest run of cached blocks from the start that leaves at least one token to compute. All full blocks of
#   the new sequence are in the cache from now on; if the cache has a block for the same prefix already, that one stays.
# - `append(sequence, token)` makes room for one token. If the last block is full, it is a new block. If it is shared, the sequence
#   gets a copy of it first (**copy-on-write**): return `[[old, new]]`. Otherwise return `[]`. A block that becomes full is
#   cached, by the same rule.
# - `fork(parent, child)`: the child shares all blocks of the parent, including the last one.
# - `free(sequence)`: blocks without an owner are unused again; cached ones stay cached, and can be evicted.
# - `table(sequence)`: its blocks.
#
# For a new block, take an unused one. Only if there is none, **evict** the cached block that has been without an owner for the longest
# time; of the blocks of one `free`, the last in the table goes first. If the request does not fit, refuse it: return `None`, and change
# nothing.
#
# You choose the block numbers. The judge follows your tables and tracks the contents of each slot.
#
# ### HINTS llm_serving_engine.block_manager

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "block_manager", "locked": true, "points": 16, "solution": false, "task": false}
check("llm_serving_engine.block_manager")

# %% [markdown]
# ## 2. Attention over pages
#
# ### CARD llm_serving_engine.paged_attention
#
# Write `write` and `paged_attention` in `attention.py`, in numpy:
#
# - `write(k_pool, v_pool, table, start, k, v)` stores keys and values of `len(k)` tokens, the first of which is token `start`.
# - `paged_attention(q, k_pool, v_pool, table, length)`: causal attention of the **last** `n = len(q)` of `length` tokens. With n = 1 it
#   decodes a token, with n = length it computes a whole prompt, and anything between is a chunk of a prompt.
# - `table` is an array of whole numbers. Scale scores by 1/√HEAD_DIM. With more query heads than key/value heads, neighbors share: of four query heads over two, the first
#   two use the first one. The table may be longer than needed, and free slots hold garbage.
#
# ### HINTS llm_serving_engine.paged_attention

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "paged_attention", "locked": true, "points": 9, "solution": false, "task": false}
check("llm_serving_engine.paged_attention")

# %% [markdown]
# ## 3. Continuous batching
#
# ### CARD llm_serving_engine.scheduler
#
# Write `decide(view)` in `scheduler.py`. It is called before every step and returns
# `{"run": [[id, tokens], …], "preempt": [id, …]}`. `view` has:
#
# | key | value |
# | --- | --- |
# | `now_ms`, `free_blocks`, `block_size` | the time, and memory |
# | `most_tokens`, `most_rows` | the most tokens in a step, and the most requests that may be running after it |
# | `ttft_ms`, `tpot_ms` | the limits: on the time to first token, and on the mean time per token after it |
# | `patience_ms` | no request may wait longer for its first token |
# | `step_ms` | a step takes `base` + `row` · rows + `token` · tokens + `context` · (for each token, how many tokens it attends to) |
# | `waiting`, `running` | requests: `id`, `arrived_ms`, `tokens` (prompt and generated), `computed`, `generated`, `blocks`, `first_ms`, `last_ms` |
#
# A running request computes up to `tokens − computed` tokens in a step, and takes the blocks that it needs for them. When all are computed,
# it generates one more token, until it ends; the number of tokens that it will generate is unknown. A preempted request gives back its
# blocks and waits again; all of its tokens must be computed again. Each step must run something.
#
# **Goodput** counts the requests that meet both limits. The judge runs your policy in `simulator.py`'s model on hidden traces,
# one after the other in one process (`now_ms` and `id` begin again in each), and compares
# it with *first come, first served* and with the policy of vLLM's scheduler. The latter takes running requests first, in their order, with
# all their tokens; then waiting ones in theirs, the last one with a chunk. If blocks are missing, it preempts the last running request.
#
# ### HINTS llm_serving_engine.scheduler

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "scheduler", "locked": true, "points": 16, "solution": false, "task": false}
check("llm_serving_engine.scheduler")

# %% [markdown]
# ## 4. Exact speculative decoding
#
# ### CARD llm_serving_engine.speculative
#
# A small draft model has proposed k tokens. The target model has computed its probabilities at all k positions, and at the one after them,
# in one pass. Write `verify(drafted, draft, target, rng)` in `speculative.py`; it returns how many drafted tokens are accepted, from the
# first on, and the token that follows them.
#
# Accept as often as possible, and so that the tokens have exactly the distribution that sampling from the target alone would give.
# Rows of `draft` and `target` are probabilities, sampling parameters included: a greedy model has a single 1. No drafted
# token has probability 0 in its row of `draft`. Use `rng` only, a `numpy.random.Generator`.
#
# ### HINTS llm_serving_engine.speculative

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "speculative", "locked": true, "points": 9, "solution": false, "task": false}
check("llm_serving_engine.speculative")

# %% [markdown]
# ## 5. An OpenAI-compatible endpoint
#
# ### CARD llm_serving_engine.serve
#
# Write `Server` in `server.py`. It does no I/O: connections are numbers, and the model runs elsewhere.
#
# - `receive(connection, method, path, body)`: `POST /v1/completions` with a JSON object: `prompt` (a text of `CHARACTERS`, not
#   empty), `max_tokens` (16), `stream` (false), `seed` (0); or `POST /v1/chat/completions` with `messages` in place of `prompt`, see below. Other paths get status 404. A malformed request gets 400,
#   and so does one that could never fit into memory with all its tokens. Malformed are: no JSON object, no such text, a `max_tokens`
#   that is no whole number from 1 on. Other keys, such as `model`, are ignored. Both answers are
#   `application/json`: `{"error": {"message": …, "type": "invalid_request_error"}}`.
# - `schedule()` returns the rows of the next batch: `{"connection", "tokens", "start", "table", "seed"}`. `tokens` are those of one request
#   from position `start` on that are not computed yet; `table` has blocks for all its tokens so far, and keeps them while it runs.
#   A request computes its whole prompt: the prefix cache of task 1 is not used here.
# - `finish(tokens)`: the model's token for each row, in order. It counts only if the row ended with the request's last token.
# - `output()` returns what to send: pieces `{"connection", "start": [status, content type]}`, `{"connection", "body": text}` and
#   `{"connection", "end": true}`, in this order for a connection, with as many bodies as you like.
# - `disconnect(connection)`: the client has closed the connection. Its blocks are free at once, and nothing more is sent.
#
# A completion ends after `max_tokens` tokens (`finish_reason` is `"length"`), or when the model gives token 0 (`"stop"`), which is not
# part of the text. The answer is `{"id", "object": "text_completion", "choices": [{"index": 0, "text", "finish_reason"}], "usage"}`, as
# `application/json`; `usage` has `prompt_tokens`, `completion_tokens` and their sum, `total_tokens`. Token 0 may count as a completion
# token, as in vLLM, or not. A stream is `text/event-stream`: an event `data: {…}\n\n` for each token, of the same form with `finish_reason` null
# until the last one, and `data: [DONE]\n\n`.
#
# **Chats.** `messages` is a list that is not empty, of objects with `role` (`"system"`, `"user"` or `"assistant"`) and `content` (a text); `max_completion_tokens` is the newer name of `max_tokens`. This server's *chat template* makes the prompt:
# `f"{role}: {content}\n"` for each message, then `"assistant: "`. The `object` is `"chat.completion"`, and a choice has `"message": {"role": "assistant", "content"}` in place of `text`. In a stream it is `"chat.completion.chunk"`, with `"delta": {"content"}`; the
# first delta has `"role": "assistant"` as well.
#
# No step may be wasted: at most `most_rows` requests run at a time, and a batch has at most `most_tokens` tokens. Requests that wait for
# one token are always in the batch. The rest of the batch goes to chunks of prompts: a batch with fewer than `most_tokens` tokens has all
# that running requests can compute, and no request waits while there is a free row and memory.
#
# ### HINTS llm_serving_engine.serve

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "serve", "locked": true, "points": 21, "solution": false, "task": false}
check("llm_serving_engine.serve")

# %% [markdown]
# When the check passes, try it over HTTP, with your own paged attention behind it. In two terminals:
#
# ```bash
# python http_server.py --port 8000 --rows 16 --tokens 64 --blocks 512
# python load.py --url http://127.0.0.1:8000 --rate 10 --count 200
# ```
#
# *Predict first*: at which rate does the time to first token begin to grow without bound? Requests have 124 prompt tokens and 26 new ones
# on average; `step_times.json` has the time of a step. Then try rates around it.

# %% [markdown]
# ## 6. Plan a deployment
#
# ### CARD llm_serving_engine.capacity
#
# Write `capacity(path)`. The JSON file has
#
# - `layers`, `heads`, `kv_heads`, `head_dim`: of the model;
# - `cache_bytes`: bytes of one number in the cache; `parameters`, and `weight_bytes`: bytes of one parameter;
# - `gpus`: tensor parallel: weights and key/value heads are divided; with more GPUs than key/value heads, each GPU has one;
# - `memory_gib`: GiB of each GPU; `share`: the share of it that the server may use; `reserved_gib`: GiB of that share for everything but
#   weights and cache;
# - `bandwidth_gb_s`: 10⁹ bytes a second, of each GPU;
# - `block_size`; `prompt_tokens` and `output_tokens` of a request.
#
# Return a dict, for one GPU of the group where it matters:
#
# | key | value |
# | --- | --- |
# | `"kv_bytes_per_token"` | bytes of one token's keys and values on one GPU |
# | `"blocks"` | whole blocks that fit beside the weights, 0 if none does |
# | `"sequences"` | requests that fit with all of their tokens, in blocks of their own |
# | `"step_ms"` | milliseconds of a step that generates a token for each of them, if it moves the weights once, and the keys and values of the prompt and half of the output for each; nothing else takes time |
# | `"tokens_per_s"` | tokens a second of all of them together |
#
# The last two are `None` if no sequence fits.
#
# ### HINTS llm_serving_engine.capacity


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "capacity_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION llm_serving_engine.capacity
### STUB def capacity(path):
### STUB     raise NotImplementedError("llm_serving_engine.capacity")
import math


def capacity(path):
    with open(path, encoding="utf-8") as stream:
        d = json.load(stream)
    own_heads = max(1, d["kv_heads"] / d["gpus"])
    kv = 2 * d["layers"] * own_heads * d["head_dim"] * d["cache_bytes"]
    weights = d["parameters"] * d["weight_bytes"] / d["gpus"]
    room = (d["memory_gib"] * d["share"] - d["reserved_gib"]) * 2**30 - weights
    blocks = max(0, math.floor(room / (kv * d["block_size"])))
    tokens = d["prompt_tokens"] + d["output_tokens"]
    sequences = blocks // math.ceil(tokens / d["block_size"])
    context = d["prompt_tokens"] + d["output_tokens"] / 2
    seconds = (weights + sequences * context * kv) / (d["bandwidth_gb_s"] * 1e9)
    return {
        "kv_bytes_per_token": kv,
        "blocks": blocks,
        "sequences": sequences,
        "step_ms": 1000 * seconds if sequences else None,
        "tokens_per_s": sequences / seconds if sequences else None,
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "capacity", "locked": true, "points": 6, "solution": false, "task": false}
check("llm_serving_engine.capacity")

# %% [markdown]
# ## 7. Read a server's metrics
#
# ### CARD llm_serving_engine.read_metrics
#
# `http_server.py` serves `/metrics`: lines `name value`, lines that begin with `#`, and lines of other programs, in any order. Counters end in
# `_total` and grow from 0 since the server's start. `…rows_total` is the sum over all steps of the rows in the step, and so on: divided by
# the growth of `steps_total` it is a mean. Write `read_metrics(before, after)`: paths of two readings. If `hotloop:uptime_seconds` has fallen,
# the server was started again in between; then take what has happened since its start. Return a dict:
#
# | key | value |
# | --- | --- |
# | `"limit"` | the first of these that is true |
# | | `"offered_load"`: fewer than 1 request waits on average |
# | | `"memory"`: at least 0.85 of `limit_blocks` are in use on average |
# | | `"rows"`: at least 0.9 of `limit_most_rows` |
# | | `"tokens"`: at least 0.9 of `limit_most_tokens` tokens in a step on average |
# | | `"model"`: none of these; requests wait because steps take long |
# | `"setting"`, `"value"` | what to change: `"blocks"` so that memory holds those that wait as well: mean blocks in use, divided by mean rows, times mean rows and mean waiting requests together (rounded up); `"most_rows"`: mean rows and mean waiting requests together (rounded up); `"most_tokens"`: twice as many; else both `None` |
# | `"tokens_per_s"` | generated tokens a second |
# | `"request_s"` | mean seconds of a request |
# | `"busy"` | share of the time in which a step was computed |
#
# ### HINTS llm_serving_engine.read_metrics


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "read_metrics_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION llm_serving_engine.read_metrics
### STUB def read_metrics(before, after):
### STUB     raise NotImplementedError("llm_serving_engine.read_metrics")
from math import ceil


def readings(path):
    with open(path, encoding="utf-8") as stream:
        lines = [line.split() for line in stream if line.startswith("hotloop:")]
    return {name.removeprefix("hotloop:"): float(value) for name, value in lines}


def read_metrics(before, after):
    old, new = readings(before), readings(after)
    again = new["uptime_seconds"] < old["uptime_seconds"]

    def grown(name):
        return new[name] - (0 if again else old[name])

    def mean(name):
        return grown(f"{name}_total") / grown("steps_total")

    rows, waiting, used = mean("rows"), mean("waiting"), mean("blocks_in_use")
    blocks, most_rows, most_tokens = (
        new[f"limit_{name}"] for name in ("blocks", "most_rows", "most_tokens")
    )
    limit, setting, value = "model", None, None
    if waiting < 1:
        limit = "offered_load"
    elif used >= 0.85 * blocks:
        limit, setting, value = "memory", "blocks", ceil(used / rows * (rows + waiting))
    elif rows >= 0.9 * most_rows:
        limit, setting, value = "rows", "most_rows", ceil(rows + waiting)
    elif mean("tokens") >= 0.9 * most_tokens:
        limit, setting, value = "tokens", "most_tokens", 2 * int(most_tokens)
    seconds = grown("uptime_seconds")
    return {
        "limit": limit,
        "setting": setting,
        "value": value,
        "tokens_per_s": grown("generation_tokens_total") / seconds,
        "request_s": grown("request_seconds_total") / grown("requests_total"),
        "busy": grown("step_seconds_total") / seconds,
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_metrics", "locked": true, "points": 6, "solution": false, "task": false}
check("llm_serving_engine.read_metrics")

# %% [markdown]
# These are recorded runs of Hotloop's engine on a CPU, with four settings. *Predict first*, from the lines `limit_…`: which one has the
# highest latency?

# %%
for _letter in "abcd":
    try:
        print(
            _letter, read_metrics(f"metrics_{_letter}_before.prom", f"metrics_{_letter}_after.prom")
        )
    except NotImplementedError:
        print("Write read_metrics first.")
        break

# %% [markdown]
# ## 8. Paged attention in Triton
#
# ### CARD llm_serving_engine.paged_decode
#
# On a GPU this kernel is most of what a long-context server does. Write the kernel and `paged_decode(q, k_pool, v_pool, table, positions,
# out)` in `attention_triton.py`:
#
# - `q` and `out` are [sequences, heads, dim], float16; `k_pool` and `v_pool` [blocks, size, kv_heads, dim], float16; `table` is [sequences, most
#   blocks], int32; `positions` is [sequences], int32. All are contiguous; size and dim are powers of two, heads / kv_heads need not be.
# - Each sequence has one query, at `positions[s]`, which attends to the tokens 0, …, `positions[s]`. Later entries of the table, and unused
#   slots, hold garbage.
# - Scale scores by 1/√dim. Neighboring query heads share a key/value head, as in task 2.
# - Compute in float32. Load each key and value once, for all query heads that share it.
#
# ### HINTS llm_serving_engine.paged_decode

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "paged_decode", "locked": true, "points": 16, "solution": false, "task": false}
check("llm_serving_engine.paged_decode")

# %% [markdown]
# ## 9. Why did the latency jump?
#
# ### CARD llm_serving_engine.explain
#
# A server for a model with 32 layers, 8 key/value heads of 128 and a float16 cache has 60 GiB for the cache. Its requests have about 2048
# prompt tokens and generate about 512. At most 256 of them may run, and a preempted one is computed again. (The figures are made up for
# this exercise.)
#
# | requests/s | running | waiting | preemptions/s | tokens computed/s | p99 TTFT | p50 TPOT |
# | --- | --- | --- | --- | --- | --- | --- |
# | 4.0 | 94 | 0 | 0 | 10,200 | 0.5 s | 46 ms |
# | 5.5 | 187 | 3 | 0.1 | 14,300 | 0.9 s | 66 ms |
# | 6.0 | 233 | 41 | 2.9 | 19,800 | 38 s | 77 ms |
#
# Between 5.5 and 6 requests a second, the latency jumped. Answer in 150 to 300 words:
#
# 1. How many sequences fit, and what happened? Show the calculation.
# 2. Why does this make a full server slower, instead of only making other requests wait? Which column shows it?
# 3. What would you change first, what does it cost, and how would you check it?
#
# A person grades this answer.
#
# ### HINTS llm_serving_engine.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION llm_serving_engine.explain
# ### STUB *Write your answer here.*
# A token takes 2 · 32 · 8 · 128 · 2 B = 128 KiB, a finished request of 2560 tokens 320 MiB, so 60 GiB hold 192 of them. Up to 256 are
# admitted, because a request that has just begun needs only 256 MiB: 240 prompts fit. As they grow they no longer do, and the engine
# preempts some to let others go on. At 5.5 requests a second 187 run, just below 192; at 6.0 it is beyond.
#
# A preempted request loses its blocks, and its prompt and all that it has generated is computed again: up to 2560 tokens each. 6.0 requests a
# second ask for about 6 · 2560 = 15,400 tokens a second; 19,800 are computed, a third more. 2.9 preemptions a second with some 1500 to 2500 tokens each
# explain the difference. That work takes time in every step, so requests take longer, more of them are alive at once, and
# more have to be preempted: it feeds itself. The load grew by 9 %, the computed tokens by 38 %.
#
# First I would lower the number of running requests to about 185, below what memory holds. Requests then wait before they begin, where waiting
# costs nothing: TTFT grows under bursts, but no token is computed twice. It costs no quality. Next is an fp8 cache, which holds twice
# as many at some risk for accuracy, which I would measure, or another GPU.
#
# I would check it with an open-loop load of Poisson arrivals at 5.5 to 6.5 requests a second with recorded lengths, and compare preemptions,
# computed tokens a second with asked ones, and goodput under the latency limits. If waiting still grows without end at 6.0, the server is
# too small for this load, and only more capacity or refusing requests helps.
# ### END SOLUTION
