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
# # An unknown accelerator
#
# You will write fast programs for a machine that nobody has written programs for: it exists only here, as a simulation whose cycles are exact. Nothing
# can be looked up but its manual of four pages, and nothing has to be measured twice.
#
# How it works here:
#
# - Most code is written in files beside this notebook. Open them in JupyterLab's editor, save, and run the cell with `check(…)`
#   here. A separate judge process calls your code on hidden inputs and tells you what it saw.
# - `python try.py manual walk` writes `manual.md`. Read it first: 15 minutes.
# - `python try.py walk` runs what your `build` returns, checks it, and writes `program.txt` and `timeline.html`, which shows what each unit did in each cycle.
# - Your generators may use anything in `hotloop.engines.accelerator`: they may run a program on inputs of their own, and keep the fastest of many.
#   A call of `build` may take 60 seconds, and its program twice the cycles of the naive one.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.
#
# | file | what it is |
# | --- | --- |
# | `count.py`, `scheduler.py` | yours: tasks 1 and 2 |
# | `pipeline.py`, `overlap.py`, `walk.py`, `kernel.py` | yours: generators of programs, tasks 3 to 6; they may import your `scheduler.py` |
# | `rules.md` | what all machines have in common, with the names of their numbers in code |
# | `try.py` | manual, runs, profiles and timelines |

# %%
from hotloop import check
from hotloop.engines.accelerator import machine, manual

print(manual.manual(machine.draw(12))[:1500])

# %% [markdown]
# ## 1. Count cycles
#
# ### CARD unknown_machine.count
#
# Write in `count.py`, by the rules under “Time” and “Memory” in the manual:
#
# - `issue_cycles(bundles, machine)`: the cycle in which each bundle issues, beginning with 0. `bundles` are lines such as `add s1, s1, 1 | vld v2, s1, 0`, without
#   branches, transfers and `vsel`, and without bank conflicts. `machine` is a dict of the parameters; its `latency` has a number for each class of instruction.
# - `busy_cycles(addresses, machine)`: for how many cycles the accesses of one bundle to these words occupy the scratchpad.
#
# `hotloop.engines.accelerator.program.instruction(text)` reads an instruction: `reads`, `writes` and `latency` (its class) are what you need of it.
#
# ### HINTS unknown_machine.count

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "count", "locked": true, "points": 8, "solution": false, "task": false}
check("unknown_machine.count")

# %% [markdown]
# ## 2. Schedule a basic block
#
# ### CARD unknown_machine.block
#
# Write `pack(block, live, machine)` in `scheduler.py`. `block` is a list of instructions in order, without branches and transfers. Return a list of bundles,
# each a list of instructions.
#
# - After your bundles, the registers in `live` and the scratchpad hold what they would hold after the block. Other registers may be used and
#   renamed in any way.
# - A register that is read before it is written holds a value from before the block.
# - Two accesses may meet in one word unless both are loads. Their order must stay.
#
# The judge's 24 blocks may take 60 seconds together. You will use it for the other tasks, with more instructions than registers: keep what decides about registers in one place.
#
# ### HINTS unknown_machine.block

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "block", "locked": true, "points": 11, "solution": false, "task": false}
check("unknown_machine.block")

# %% [markdown]
# ## 3. Software-pipeline a loop
#
# ### CARD unknown_machine.pipeline
#
# Write `build(items)` in `pipeline.py`: the text of a program for the manual's kernel “pipeline” with so many items, a multiple of 16. `MACHINE` is the seed of the machine.
#
# A program is asked for first; the judge draws inputs afterwards and runs it there. Your score is the share of the way from the naive program to a lower bound, on a logarithmic scale.
#
# ### HINTS unknown_machine.pipeline

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "pipeline", "locked": true, "points": 12, "solution": false, "task": false}
check("unknown_machine.pipeline")

# %% [markdown]
# ## 4. Banks and transfers
#
# ### CARD unknown_machine.overlap
#
# Write `build(rows)` in `overlap.py`, for the manual's kernel “overlap” with so many rows, a multiple of 16.
#
# ### HINTS unknown_machine.overlap

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "overlap", "locked": true, "points": 12, "solution": false, "task": false}
check("unknown_machine.overlap")

# %% [markdown]
# ## 5. A walk that depends on the data
#
# ### CARD unknown_machine.walk
#
# Write `build(items)` in `walk.py`, for the manual's kernel “walk”. The scale is open: all points of the course are earned far below its end, and the score goes on.
#
# Keep the versions that were faster, and note what each change gained. That list is worth more in an interview than the last number.
#
# ### HINTS unknown_machine.walk

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "walk", "locked": true, "points": 20, "solution": false, "task": false}
check("unknown_machine.walk")

# %% [markdown]
# ## 6. A kernel that is drawn
#
# ### CARD unknown_machine.kernel
#
# Write `build(items)` in `kernel.py`. `KERNEL` is the seed of another machine and of its kernel, which is a tree walk, a hash with rounds that depend on the item, a sparse matrix, or
# ragged attention. `python try.py manual kernel` writes the manual of both; it differs from the first one in more than numbers.
#
# Nothing that you wrote for the walk runs here but what you made general. The scale is open.
#
# ### HINTS unknown_machine.kernel

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "kernel", "locked": true, "points": 20, "solution": false, "task": false}
check("unknown_machine.kernel")
