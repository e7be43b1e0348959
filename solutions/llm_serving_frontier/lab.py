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
# # Speculation with trees, routers and structured output
#
# A simple engine generates one token per pass, on one worker, in order of arrival. In this notebook a pass yields several tokens, a router
# chooses among workers, and the output follows a grammar. Each of these is exact or counted: distributions, requests within limits, bytes.
#
# How it works here:
#
# - The code is written in files beside this notebook. Open them in JupyterLab's editor, save, and run the cell with `check(…)`
#   here. A separate judge process calls your code on hidden inputs and tells you what it saw.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `drafting.py` | yours: task 1 |
# | `router.py` | yours: tasks 2 and 3 |
# | `sampling_triton.py` | yours: task 4, in Triton |
# | `grammar.py` | yours: task 5 |
# | `quantized.py` | yours: task 6 |
# | `offload.py` | yours: task 7 |
# | `latent_triton.py` | yours: task 8, in Triton |
# | `tiers.py` | the model of a cache in two tiers in which task 7 is judged |
# | `cluster.py` | the model of time in which tasks 2 and 3 are judged |

# %%
from hotloop import check

# %% [markdown]
# ## 1. Draft trees with exact acceptance
#
# ### CARD llm_serving_frontier.draft_trees
#
# A **draft tree** is a list `parents`: node 0 is the last token of the text, and each other node has a smaller number as its parent. Node i's children are drafted tokens that may come after it, in the order of their numbers. Write in
# `drafting.py`:
#
# - `ngram(tokens, longest, shortest, count)`: drafts without a model. Find the longest suffix of `tokens`, of at most `longest` and at
#   least `shortest` tokens, that also occurs earlier in the text (it may overlap the end, but must end before it). Return the tokens after
#   its latest earlier occurrence: at most `count`, and as many as there are. Return `[]` if there is no such suffix.
# - `pick(parents, probability, count)`: `probability[i]` is the draft's for node i after its parent. Return the `count` nodes, without node 0, that are most likely to be accepted together with all nodes before them, ascending.
# - `layout(parents)`: a dict. `"positions"`: the distance of each node from node 0. `"attends"`: for each node the nodes of the tree that
#   it attends to, itself included, ascending.
# - `verify(parents, tokens, draft, target, rng)`: the tokens that come next. `tokens[i]` is node i's. `target[i]` is the target's
#   distribution after node i. The children of node i were sampled from `draft[i]`, in order and without replacement; if `draft[i]` is
#   `None`, they were not sampled: a top-k of the draft or an n-gram, all different. Return the tokens of the accepted nodes, from node 0's
#   child on, and one token after the last of them. They must have exactly the distribution that sampling from the target alone would give,
#   and children must be accepted as often as this rule can: go through them in order, accept with min(1, p/q), and continue with the
#   remaining distribution. Use `rng` only.
#
# ### HINTS llm_serving_frontier.draft_trees

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "draft_trees", "locked": true, "points": 16, "solution": false, "task": false}
check("llm_serving_frontier.draft_trees")

# %% [markdown]
# ## 2. A router that knows prefix caches
#
# ### CARD llm_serving_frontier.cache_router
#
# Four workers serve conversations. The prompt of each turn begins with the whole conversation so far, and many conversations begin with the
# same system prompt. A worker that served the last turn has most of the prompt in its prefix cache, if it was not evicted since.
#
# Write `route(view)` in `router.py`: the id of the worker for a request that has just arrived. `view["request"]` has its `id` and `prompt`,
# in tokens. Each of `view["workers"]` has `id`, `busy_ms` (until its current step ends), `queued_tokens` (of prompts that are not computed
# yet), `decoding` (requests that generate), and `cached_tokens` (of this prompt, in its cache now). `view` also has the limits of a worker
# and its times: `cluster.py` explains them.
#
# The check plays hidden traces of 300 requests in `cluster.py`, one after the other in one process (`id` begins at 0 in each), and counts those that meet both limits, `ttft_ms` and `tpot_ms`. It
# compares your router with round robin, the worker with the fewest queued tokens and rows, and the one with the most cached tokens.
# *Predict first*: which of these three is best at high load, and which at low load?
#
# ### HINTS llm_serving_frontier.cache_router

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cache_router", "locked": true, "points": 8, "solution": false, "task": false}
check("llm_serving_frontier.cache_router")

# %% [markdown]
# ## 3. Prefill here or elsewhere
#
# ### CARD llm_serving_frontier.prefill_router
#
# Two workers compute prompts (`"role": "prefill"`), two decode (`"decode"`). A decoding worker can compute prompts as well, in chunks beside its rows. Requests are short questions and, three in ten, long documents; nothing is cached.
#
# Write `place(view)` in `router.py`: `[p, d]`, the ids of the worker that computes the prompt and of the one that decodes. `p` is a worker
# for prompts, or `d` itself. If they differ, keys and values are sent when the prompt is computed: over p's link, one transfer after the
# other, `link_ms` each and `kv_ms` per token. The first token is available before the transfer, the second one after it.
#
# The check compares with three policies: always send; never send; send prompts of 400 tokens or more. All three choose the worker with the
# fewest queued tokens and rows.
#
# ### HINTS llm_serving_frontier.prefill_router

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "prefill_router", "locked": true, "points": 8, "solution": false, "task": false}
check("llm_serving_frontier.prefill_router")

# %% [markdown]
# ## 4. Top-k and top-p without a sort
#
# ### CARD llm_serving_frontier.sample_kernel
#
# Write `sample(probabilities, top_k, top_p, uniform, out)` in `sampling_triton.py`, one token for each row of `probabilities`, float32 `[rows, V]`, V at most 16,384:
#
# 1. **top-k**: keep the tokens that are at least as likely as the `top_k`-th likeliest. Tokens of equal probability are kept together, so there may be more than `top_k`.
# 2. **top-p**: of the remaining tokens, with the sum S, find the largest threshold for which the tokens that are at least as likely have a
#    sum of `top_p` · S or more. Keep these tokens.
# 3. **sample**: of the kept tokens, with the sum T, write the first token, in the order of their numbers, at which the running sum exceeds
#    `uniform` · T.
#
# `top_k` is int32 `[rows]`, `top_p` and `uniform` float32 `[rows]`, `out` int32 `[rows]`. `top_k` is 1 to V, `top_p` above 0
# and at most 1, `uniform` 0 or more and below 1. A row need not sum to exactly 1, and probabilities may be 0: such a token is never written. Load each probability only once.
#
# ### HINTS llm_serving_frontier.sample_kernel

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "sample_kernel", "locked": true, "points": 14, "solution": false, "task": false}
check("llm_serving_frontier.sample_kernel")

# %% [markdown]
# ## 5. Structured output
#
# ### CARD llm_serving_frontier.token_masks
#
# A grammar was compiled to an automaton over characters: a dict with `start`, `accepting` (a list of states) and `next` (for each state a dict from characters to states). A model gives tokens, which are texts of one or more characters; token
# 0 is the empty text and ends the output. Write in `grammar.py`:
#
# - `tables(automaton, vocabulary)`: a list with a dict for each state, from the allowed tokens to the states after them. A token is allowed if its characters lead to a state from which an accepting state can be reached, or is one. Token 0 is
#   allowed in accepting states, and leads to `None`.
# - `bits(allowed, size)`: the mask of a set of tokens for a vocabulary of `size` tokens, as samplers take it: a list of words of 32 bits, as numbers from 0 to 2³² − 1. Bit b of word w stands for token 32 w + b.
# - `forced(automaton, state)`: the longest text that every completion from `state` begins with because no state on the way leaves a choice.
#   In an accepting state the output may end, so nothing is forced there; in a state without a completion nothing is forced either.
#
# ### HINTS llm_serving_frontier.token_masks

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "token_masks", "locked": true, "points": 10, "solution": false, "task": false}
check("llm_serving_frontier.token_masks")

# %% [markdown]
# ## 6. Keys and values in four bits
#
# ### CARD llm_serving_frontier.quantized_cache
#
# Write in `quantized.py`:
#
# - `quantize(keys, values, group)`: keys and values are float32 `[tokens, heads, dim]`; `dim` is even and a multiple of `group`. Store only
#   whole groups of `group` tokens; the remaining tokens are not stored. Each number becomes a code from 0 to 15 of its group: number ≈ low
#   + scale · code. A group of keys is **one channel** of `group` consecutive tokens, a group of values is `group` consecutive channels of
#   **one token**. Return a dict of arrays, with T the stored tokens:
#
# | key | type | shape |
# | --- | --- | --- |
# | `k_codes`, `v_codes` | uint8 | `[T, heads, dim / 2]`: channels 0 and 1 in the first byte, channel 0 in its low four bits |
# | `k_low`, `k_scale` | float16 | `[T / group, heads, dim]` |
# | `v_low`, `v_scale` | float16 | `[T, heads, dim / group]` |
#
# - `attend(q, cache, keys, values, group)`: attention of one token's queries, `[query heads, dim]`, over the tokens of such a cache (lows and scales are float32 here) and then over `keys` and `values`, the newest tokens, `[tokens, heads, dim]`. Query heads share key/value heads in order, as always, and scores are
#   divided by √dim.
#
# ### HINTS llm_serving_frontier.quantized_cache

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "quantized_cache", "locked": true, "points": 9, "solution": false, "task": false}
check("llm_serving_frontier.quantized_cache")

# %% [markdown]
# ## 7. A prefix cache in two tiers
#
# ### CARD llm_serving_frontier.prefix_tiers
#
# Blocks that leave the GPU's memory move to the host's, and come back over a link. Write in `offload.py`:
#
# - `split(compute_ms, load_ms)`: a prompt's blocks can be computed, one after the other from the first on, and at the same time loaded, one
#   after the other in any order. `compute_ms[i]` and `load_ms[i]` are the times for block i; `load_ms[i]` is `None` if it is in no tier.
#   Return how many blocks to compute, from the first on, so that all are ready as early as possible; the others are loaded.
# - `evict(view)`: a tier is full. Return the names of `view["count"]` of `view["blocks"]` to evict: those of the `"gpu"` move to the host,
#   those of the `"host"` are lost. Each block has its `name`, `before` (the name of the block before it, -1 for none), `place` in its
#   prompt, and `is_end` (no cached block follows it). Its `last` is the number of the last request that used it, `stored` that of the
#   request that created it, and `uses` is the number of requests that used it. `view["request"]` is the number of the current request.
#
# The check plays hidden traces in `tiers.py`, one after the other in one process (names and `request` begin again in each), and counts the
# milliseconds of computation that the cache saves. It compares your policy with
# least recently used, least often used and oldest; each of these evicts the end of a prompt before its beginning. Try `python tiers.py`.
#
# ### HINTS llm_serving_frontier.prefix_tiers

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "prefix_tiers", "locked": true, "points": 9, "solution": false, "task": false}
check("llm_serving_frontier.prefix_tiers")

# %% [markdown]
# ## 8. Decoding over a latent cache
#
# ### CARD llm_serving_frontier.latent_decode
#
# **Multi-head latent attention** (MLA) stores one latent vector of R numbers for each token, from which the keys and values of all heads
# are computed, and P numbers for the position. In decoding, the matrices that would expand the vector are multiplied into the query and the
# output instead, so that all heads attend to the same R + P numbers. A **sliding window** limits attention to the newest tokens.
#
# Write `latent_decode(q, q_rope, cache, positions, windows, out)` in `latent_triton.py`. `q` and `out` are `[sequences, heads, R]`, `q_rope` is `[sequences, heads, P]`, `cache` is `[sequences, longest, R + P]`, all float16 and contiguous; R and P are powers of two, 16 or more; `positions` and `windows` are int32 `[sequences]`. Sequence s
# attends to its tokens from `positions[s] - windows[s] + 1` (but not below 0) to `positions[s]`. The score of head h for token t is `q[s, h] · cache[s, t, :R] + q_rope[s, h] · cache[s, t, R:]`; it is scaled already. The output is the sum of `cache[s, t, :R]`, weighted by the softmax of the scores. Slots past the
# position may hold anything. Each visible token is to be loaded once.
#
# ### HINTS llm_serving_frontier.latent_decode

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "latent_decode", "locked": true, "points": 12, "solution": false, "task": false}
check("llm_serving_frontier.latent_decode")
