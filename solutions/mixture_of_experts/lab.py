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
# # Mixture of experts
#
# A dense layer uses all its weights for each token. A mixture of experts has many feed-forward networks, the experts, and a router that
# chooses k of them for each token. In this notebook you write the router with its gradient, move rows to their experts, and multiply them
# in one launch. Then you spread the experts over ranks: exchange, plan, overlap and placement.
#
# How it works here:
#
# - Triton kernels are in `kernels_triton.py`, ranks in `exchange.py`, plans in `planner.py` and `overlap.py`. Edit them beside this notebook, save, and
#   run the cell with `check(…)`.
# - Without a GPU, kernels run in Triton's interpreter. Programs that race are found there, with both lines. What only a GPU can show says `not_measured`.
# - Ranks are processes on this machine that talk over gloo; the links between GPUs are a model.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.

# %%
from hotloop import check

# %% [markdown]
# ## 1. Top-k routing
#
# ### CARD mixture_of_experts.route
#
# Write `route(logits, bias, k)`: `logits` is a list of rows, one for each token, with a number for each expert; `bias` has a number for each expert. With p = softmax of
# a row, choose the k experts with the largest p + bias. Their weights are p, **without the bias**, divided by the sum over the chosen ones.
#
# Return a dict with
#
# - `"experts"` and `"weights"`: for each token, the k experts and their weights, in any order. Of experts with equal sums any may be chosen.
# - `"counts"`: how often each expert was chosen.
# - `"balance_loss"`: experts · Σ over experts of (its share of all choices) · (its mean probability).
# - `"z_loss"`: the mean over tokens of logsumexp(logits)².
#
# Logits may have any size. The result is plain data: lists and Python numbers.
#
# ### HINTS mixture_of_experts.route


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "route_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION mixture_of_experts.route
### STUB def route(logits, bias, k):
### STUB     raise NotImplementedError("mixture_of_experts.route")
import numpy as np


def route(logits, bias, k):
    z = np.asarray(logits, np.float64)
    highest = z.max(axis=1, keepdims=True)
    e = np.exp(z - highest)
    p = e / e.sum(axis=1, keepdims=True)
    experts = np.argsort(-(p + np.asarray(bias)), axis=1, kind="stable")[:, :k]
    weights = np.take_along_axis(p, experts, axis=1)
    weights = weights / weights.sum(axis=1, keepdims=True)
    counts = np.bincount(experts.ravel(), minlength=z.shape[1])
    logsumexp = np.log(e.sum(axis=1)) + highest[:, 0]
    return {
        "experts": experts.tolist(),
        "weights": weights.tolist(),
        "counts": counts.tolist(),
        "balance_loss": float(z.shape[1] * (counts / experts.size * p.mean(axis=0)).sum()),
        "z_loss": float((logsumexp**2).mean()),
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "route", "locked": true, "points": 9, "solution": false, "task": false}
check("mixture_of_experts.route")

# %% [markdown]
# ## 2. The router's backward pass
#
# ### CARD mixture_of_experts.route_backward
#
# Write `route_backward(logits, experts, grad_weights, balance, z)` in PyTorch: return the gradient with respect to `logits` [tokens, experts], float32, of
#
# $$\sum_{t,j} g_{tj}\, w_{tj} \;+\; \text{balance} \cdot E \sum_e f_e P_e \;+\; z \cdot \frac{1}{T} \sum_t \text{logsumexp}(x_t)^2$$
#
# - `experts` [tokens, k], int64, are the chosen ones, and w are their normalized probabilities, as in task 1. $g$ is `grad_weights` [tokens, k].
# - $f_e$ is the share of choices of expert e, a constant. $P_e$ is its mean probability.
# - `balance` and `z` are numbers.
#
# Logits of several hundred occur. A token does not choose an expert twice.
#
# ### HINTS mixture_of_experts.route_backward


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "route_backward_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION mixture_of_experts.route_backward
### STUB def route_backward(logits, experts, grad_weights, balance, z):
### STUB     raise NotImplementedError("mixture_of_experts.route_backward")
import torch


def route_backward(logits, experts, grad_weights, balance, z):
    tokens, count = logits.shape
    p = logits.softmax(dim=1)
    # Normalized probabilities of the chosen experts are a softmax of their logits alone.
    w = logits.gather(1, experts).softmax(dim=1)
    inner = w * (grad_weights - (grad_weights * w).sum(dim=1, keepdim=True))
    out = torch.zeros_like(logits).scatter(1, experts, inner)
    share = torch.bincount(experts.flatten(), minlength=count) / experts.numel()
    slope = balance * count / tokens * share
    out += p * (slope - (p * slope).sum(dim=1, keepdim=True))
    return out + 2 * z / tokens * logits.logsumexp(dim=1, keepdim=True) * p


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "route_backward", "locked": true, "points": 8, "solution": false, "task": false}
check("mixture_of_experts.route_backward")

# %% [markdown]
# ## 3. Capacity, and tiles without drops
#
# ### CARD mixture_of_experts.capacity
#
# Write two functions, one for each way to assign rows to experts.
#
# `capacity(experts, num_experts, factor)` gives each expert a buffer of `ceil(factor · tokens · k / num_experts)` rows. `experts` has k
# different experts for each token, the first choice first. Fill the buffers with all first choices in order of tokens, then with all second
# choices, and so on; a choice that does not fit is dropped. Return a dict:
#
# - `"capacity"`: rows of a buffer.
# - `"places"`: for each token and choice its row in the expert's buffer, or None if it is dropped.
# - `"dropped_tokens"`: the number of tokens without any row.
# - `"empty_rows"`: the number of unused rows of all buffers.
#
# `row_tiles(sizes, height)` drops nothing: `sizes` are the numbers of rows of the experts, which are stored one after the other. Return a
# dict. `"tiles"` is a list of `[expert, first row, rows]`, in order, with rows counted from the first expert's first one: no tile has more than `height` rows or rows of two experts, there are
# as few tiles as possible, and all but an expert's last one are full. `"wasted_rows"` is the number of rows that the tiles have in addition
# if each is computed with `height` rows.
#
# ### HINTS mixture_of_experts.capacity


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "capacity_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION mixture_of_experts.capacity
### STUB def capacity(experts, num_experts, factor):
### STUB     raise NotImplementedError("mixture_of_experts.capacity")
### STUB
### STUB
### STUB def row_tiles(sizes, height):
### STUB     raise NotImplementedError("mixture_of_experts.capacity")
import math


def capacity(experts, num_experts, factor):
    tokens, k = len(experts), len(experts[0])
    room = math.ceil(factor * tokens * k / num_experts)
    taken = [0] * num_experts
    places = [[None] * k for _ in experts]
    for slot in range(k):
        for token in range(tokens):
            expert = experts[token][slot]
            if taken[expert] < room:
                places[token][slot] = taken[expert]
                taken[expert] += 1
    return {
        "capacity": room,
        "places": places,
        "dropped_tokens": sum(all(place is None for place in row) for row in places),
        "empty_rows": num_experts * room - sum(taken),
    }


def row_tiles(sizes, height):
    tiles, first = [], 0
    for expert, size in enumerate(sizes):
        for row in range(0, size, height):
            tiles.append([expert, first + row, min(height, size - row)])
        first += size
    return {"tiles": tiles, "wasted_rows": len(tiles) * height - sum(sizes)}


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "capacity", "locked": true, "points": 9, "solution": false, "task": false}
check("mixture_of_experts.capacity")

# %% [markdown]
# ## 4. Triton: rows by expert
#
# ### CARD mixture_of_experts.permute
#
# Write `permute(x, experts, num_experts, out)` in `kernels_triton.py`: `x` [tokens, width] is float16, `experts` [tokens, k] int32 with k different ones for each token, and `out`
# [tokens · k, width] float16. Write each row of x once for each of its experts: **by expert, and by token within an expert**.
#
# The order must not depend on which program is faster: otherwise a capacity would drop other tokens in each run, and the gradient of the
# weights would sum rows in another order. So do not use a counter that programs increase with `tl.atomic_add`; one that they load and store
# is a race. Temporary tensors come from `torch.empty`; results computed in PyTorch do not count. Load each row once and store it k times. k
# is at most 8, and there are at most 256 experts.
#
# ### HINTS mixture_of_experts.permute

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "permute", "locked": true, "points": 16, "solution": false, "task": false}
check("mixture_of_experts.permute")

# %% [markdown]
# ## 5. Triton: a grouped GEMM
#
# ### CARD mixture_of_experts.grouped_gemm
#
# Write `grouped_gemm(x, w, offsets, out)`: `x` [rows, k] are rows by expert and `w` [experts, k, n] the experts' weights, both float16. `offsets` [experts + 1] is int32: expert e has the rows from
# `offsets[e]` to `offsets[e + 1]`, possibly none. `offsets[0]` is 0 and the last one is the number of rows. `out` [rows, n] is float32.
#
# Use one launch for all experts, or two. **The host must not wait for the offsets**: launch as many programs as there can be tiles, at most
# (rows / 32 + experts) · n / 32, and let each find its expert and tile. Rows past the end of an expert belong to the next one: a program
# that stores them races. Let programs with neighboring numbers compute a square of an expert's tiles.
#
# ### HINTS mixture_of_experts.grouped_gemm

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "grouped_gemm", "locked": true, "points": 27, "solution": false, "task": false}
check("mixture_of_experts.grouped_gemm")

# %% [markdown]
# ## 6. An exchange between processes
#
# ### CARD mixture_of_experts.exchange
#
# Write `exchange(x, experts, weights, per_rank, compute)` in `exchange.py`: the layer of one rank. All ranks call it at the same time; `torch.distributed` is initialized with gloo.
#
# - `x` [tokens, width], float32, are this rank's tokens; other ranks may have more, or none. `experts` (int64) and `weights` (float32) are [tokens, k].
# - Expert e is on rank `e // per_rank`. `compute(i, rows)` returns the output of this rank's i-th expert for some rows, [n, width].
#
# Return [tokens, width]: for each token the sum of weight · expert(token). The check starts four ranks and counts the bytes on the network
# interface between them. The minimum is one row to each rank that has an expert of the token, and one row back. You choose the collectives:
# `all_to_all_single` with split sizes works with gloo, `all_to_all` does not.
#
# ### HINTS mixture_of_experts.exchange

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "exchange", "locked": true, "points": 11, "solution": false, "task": false}
check("mixture_of_experts.exchange")

# %% [markdown]
# ## 7. A plan over NVLink and network
#
# ### CARD mixture_of_experts.all_to_all
#
# Write `plan_exchange(path, per_node)` in `planner.py`. The file has, for each rank and each of its tokens, the ranks that need the token (possibly its own). Nodes have `per_node` ranks, connected
# by NVLink; between nodes every rank has a NIC of its own.
#
# Return at most 8 steps. A step is a list of messages `[from, to, [[rank, number], …]]`: tokens, named by their original rank and number,
# that `from` has before the step begins. A step lasts until its slowest link is done, in units of one token over a NIC:
#
# - for each NIC, the tokens that its rank sends to other nodes, or those that it receives from them, whichever number is larger;
# - for NVLink the same within the node, divided by 9.
#
# NICs and NVLink work at the same time. A rank may pass on a token that it has received in an earlier step. A plan may take 20 seconds.
#
# ### HINTS mixture_of_experts.all_to_all

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "all_to_all", "locked": true, "points": 15, "solution": false, "task": false}
check("mixture_of_experts.all_to_all")

# %% [markdown]
# ## 8. Dispatch behind computation
#
# ### CARD mixture_of_experts.overlap
#
# `timeline.py` is a discrete-event model of some layers on one GPU, with a stream for computation and one for the network. Write `overlap(costs)` in `overlap.py`: return
# `{"chunks": […], "compute": […], "network": […]}`, the tokens of each chunk and the operations `[kind, layer, chunk]` of each stream, in order. `costs` is a dict like `PRACTICE` in that file.
#
# More chunks hide more, but every chunk loads the experts' weights again. Try your plan with `python timeline.py`.
#
# ### HINTS mixture_of_experts.overlap

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "overlap", "locked": true, "points": 11, "solution": false, "task": false}
check("mixture_of_experts.overlap")

# %% [markdown]
# ## 9. Replicas by load
#
# ### CARD mixture_of_experts.placement
#
# Two functions in `planner.py`. Each of some ranks has the same number of slots for experts. Every expert needs a slot; it may have several, on different ranks, which then share its load evenly.
#
# - `place(loads, ranks, slots)` returns a list of experts for each rank, as many as it has slots.
# - `rebalance(loads, held, most)` gets a placement `held` and new loads. It returns a placement in which at most `most` slots have another expert than before; the order
#   within a rank does not matter.
#
# A step lasts as long as the rank with the largest load: its load over the mean is what the checks score.
#
# ### HINTS mixture_of_experts.placement

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "placement", "locked": true, "points": 13, "solution": false, "task": false}
check("mixture_of_experts.placement")

# %% [markdown]
# ## 10. Where does a decode step go?
#
# ### CARD mixture_of_experts.explain
#
# A layer has 256 experts, each with 44 MB of weights in FP8 (three matrices of 7168 × 2048), and chooses 8 for each token. 32 GPUs hold 8 experts each. A GPU reads memory with 4 TB/s, does 1,600 TFLOP/s in FP8, and sends
# 50 GB/s to other nodes. A step has 4096 tokens in total, 128 of each GPU; a token is sent in FP8 (7168 bytes) and comes back in bfloat16 (14336 bytes), once for each of 4 other nodes on average. Answer in 100 to
# 250 words:
#
# 1. How many tokens does an expert get on average, and what limits its products: memory or arithmetic? How long do they take at least?
# 2. How long does the exchange take at least? What follows for the step?
# 3. What changes with twice as many tokens, and what with 64 GPUs that hold 4 experts each? The most loaded rank has 1.6 times the mean: what does it change?
#
# A person grades this answer.
#
# ### HINTS mixture_of_experts.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION mixture_of_experts.explain
# ### STUB *Write your answer here.*
# 4096 tokens · 8 / 256 experts are 128 tokens an expert. A GPU reads 8 · 44 MB = 352 MB, 88 µs at 4 TB/s. Its 1024 rows are 1024 · 2 · 44·10⁶ = 90 GFLOP, 56 µs at 1,600 TFLOP/s. So memory limits, at 88 µs; both would be equal
# at about 200 tokens an expert.
#
# A GPU's 128 tokens leave for 4 nodes each: 512 · 7168 bytes = 3.7 MB, 73 µs at 50 GB/s, and come back as 7.3 MB, 147 µs. The exchange takes 220 µs, 2.5 times the products: without overlap they add up to more than 300 µs a layer. Two chunks hide
# one behind the other, but then each reads the weights: 176 µs of computation instead of 88, which is still less than the exchange.
#
# Twice as many tokens double the exchange (440 µs) and the arithmetic (113 µs, now the limit of the products). With 64 GPUs a GPU reads half of the weights (44 µs) and has 64 tokens of its own, so its exchange halves as well, if a token reaches as many nodes;
# with more nodes it reaches more, at most 8. A rank with 1.6 times the mean has 1638 rows: 90 µs of arithmetic instead of 56, just above its weights, and it receives 1.6 times the rows, which all others wait for. I would measure tokens of each rank in each step, and compare the
# largest with the mean before I add replicas.
# ### END SOLUTION
