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
# # GEMM on Hopper
#
# On Hopper the fast path runs beside the threads: a copy engine (TMA) moves tiles, tensor cores read them from shared memory (wgmma), and mbarriers
# say what has arrived and what may be overwritten. In this notebook you build a product from these parts, one at a time.
#
# How it works here:
#
# - Kernels are in `copies.cu` and `gemm.cu`. Edit them beside this notebook, save, and run the cell with `check(…)`.
# - `#include "hotloop/hopper.cuh"` has the instructions: one PTX instruction each with nvcc, and the checker's model of it in Hotloop's simulator.
#   The comment at each function says what it needs. The simulator lets copies and products complete early, late and at any time between, and names
#   a hang, a race or a missing fence with its lines. No GPU is needed.
# - Where nvcc is installed, each kernel is also compiled for sm_90a, and its instructions are looked for in the machine code. What only a Hopper GPU
#   can show says `not_measured`.
# - Stuck? Each task has three hints. Open one at a time. [The lesson](lesson.md), beside this notebook, explains what the tasks use.

# %%
from hotloop import check

# %% [markdown]
# ## 1. An mbarrier, by hand
#
# ### CARD gemm_hopper.mbarrier_phases
#
# Write `mbarrier_phases(count, events)`: the behavior of an mbarrier that was initialized with `count` arrivals. `events` is a list of
# lists:
#
# | event | meaning |
# | --- | --- |
# | `["arrive"]` | one arrival |
# | `["expect_tx", bytes]` | the open phase waits for so many more bytes |
# | `["arrive_expect_tx", bytes]` | both, the bytes first |
# | `["complete_tx", bytes]` | a copy has brought so many bytes |
# | `["wait_parity", parity]` | a thread tests whether the phase of this parity is complete |
#
# Phases are numbered 0, 1, 2, …, with parities 0, 1, 0, …. The open phase is complete when no arrival and no byte is missing; the next one begins with `count`
# arrivals and no bytes. A wait succeeds if its parity is that of the phase before the open one; before phase 0 that is a phase of parity 1.
# Return `{"waits": […], "phase": …, "arrivals": …, "bytes": …}`: True or False for each wait, the number of the open phase, and what it still waits for. Bytes
# may come before they are expected.
#
# ### HINTS gemm_hopper.mbarrier_phases


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "mbarrier_phases_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_hopper.mbarrier_phases
### STUB def mbarrier_phases(count, events):
### STUB     raise NotImplementedError("gemm_hopper.mbarrier_phases")
def mbarrier_phases(count, events):
    phase, arrivals, missing = 0, count, 0
    waits = []
    for name, *number in events:
        if name == "wait_parity":
            # The latest complete phase has the other parity than the open one.
            waits.append(number[0] != phase % 2)
        if name in ("expect_tx", "arrive_expect_tx"):
            missing += number[0]
        if name == "complete_tx":
            missing -= number[0]
        if name in ("arrive", "arrive_expect_tx"):
            arrivals -= 1
        if arrivals == 0 and missing == 0:
            phase, arrivals = phase + 1, count
    return {"waits": waits, "phase": phase, "arrivals": arrivals, "bytes": missing}


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "mbarrier_phases", "locked": true, "points": 5, "solution": false, "task": false}
check("gemm_hopper.mbarrier_phases")

# %% [markdown]
# ## 2. One bulk copy
#
# ### CARD gemm_hopper.bulk_copy
#
# `bulk_copy(in, out, count)` in `copies.cu` is launched as `<<<count / 1024, 256>>>`. Block i has the 1,024 numbers from 1024 i on, and writes them to `out` **in reverse order**.
#
# Let **one thread start one copy** of 4,096 bytes into shared memory with `hotloop::bulk_load(shared, global, bytes, &barrier)`, and all threads wait for it with
# `hotloop::mbarrier_wait_parity`. Addresses and bytes are multiples of 16. The barrier has to be initialized (`mbarrier_init`, by one thread), be seen by the copy engine
# (`fence_mbarrier_init`) and by the other threads, and be told how many bytes to expect (`mbarrier_arrive_expect_tx`).
#
# ### HINTS gemm_hopper.bulk_copy

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "bulk_copy", "locked": true, "points": 14, "solution": false, "task": false}
check("gemm_hopper.bulk_copy")

# %% [markdown]
# ## 3. Find the hang
#
# ### CARD gemm_hopper.find_the_hang
#
# Beside this notebook are nine programs, `pipeline_a.cu` to `pipeline_i.cu`. Eight have one fault each, in one line; one is right. Read
# them, decide, and only then run one with `hotloop cuda run --check pipeline_a.cu`: the checker names where a fault **shows**, you name the
# **line that has to change**.
#
# Write `find_the_hang()`. It returns a dict with an entry for each letter, such as `{"a": {"cause": "hang", "line": 12}, …}`:
#
# | cause | what it means |
# | --- | --- |
# | `hang` | threads wait for an event that never happens |
# | `race` | a slot is read before its copy has arrived, or overwritten while it is read |
# | `tx_count` | copies transfer another number of bytes than the barrier expects |
# | `mbarrier` | an mbarrier is used before it is initialized, or has one arrival too many |
# | `fence` | a copy may not see what threads have stored |
# | `in_flight` | registers are used while a product may still write them |
# | `swizzle` | a descriptor with another swizzle than the tile's |
# | `clean` | nothing is wrong: `line` is 0 |
#
# `line` is the number of the line that has to change to make the program right.
#
# ### HINTS gemm_hopper.find_the_hang


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "find_the_hang_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_hopper.find_the_hang
### STUB def find_the_hang():
### STUB     raise NotImplementedError("gemm_hopper.find_the_hang")
def find_the_hang():
    return {
        "a": {"cause": "fence", "line": 28},  # thread 0 fences its own stores only
        "b": {"cause": "race", "line": 37},  # waits for the phase before
        "c": {"cause": "hang", "line": 28},  # nobody has emptied a slot that was never full
        "d": {"cause": "tx_count", "line": 28},  # two copies, the bytes of one
        "e": {"cause": "in_flight", "line": 50},  # the last group may still run
        "f": {"cause": "clean", "line": 0},
        "g": {"cause": "hang", "line": 17},  # 4 warps arrive, 128 arrivals are expected
        "h": {"cause": "race", "line": 47},  # the slot that goes back is still read
        "i": {"cause": "race", "line": 21},  # the last store still reads the only tile
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "find_the_hang", "locked": true, "points": 9, "solution": false, "task": false}
check("gemm_hopper.find_the_hang")

# %% [markdown]
# ## 4. Two slots, one producer
#
# ### CARD gemm_hopper.two_slots
#
# `two_slots(in, out, blocks, width, steps)` is launched as `<<<blocks, 160>>>`. `in` is [blocks, steps, 1024] and `out` [blocks, 1024], float32: block b computes
# `out[b][j]`, the sum of `in[b][s][j]` over all steps s.
#
# **Warp 4 only copies, warps 0 to 3 only add.** A chunk of 1,024 numbers is one bulk copy into one of two slots. While the consumers add one slot, the other one is filled. Each slot has two mbarriers:
# `full` (the copy has arrived) and `empty` (all consumers have read). There are more steps than slots, and than any number of slots that you might choose.
#
# The check counts the bytes that are in flight while the consumers read: all but those of the first step can be.
#
# ### HINTS gemm_hopper.two_slots

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "two_slots", "locked": true, "points": 20, "solution": false, "task": false}
check("gemm_hopper.two_slots")

# %% [markdown]
# ## 5. Store by a bulk copy
#
# ### CARD gemm_hopper.store_back
#
# `store_back(in, out, rows, columns)`: `out` is `in` · `in`, element by element; both are float32 of [rows, 1024]. The blocks are **persistent**: block b has the rows b, b + gridDim.x, …, and 128 threads.
#
# Load a row by a bulk copy, write its squares to shared memory, and let `hotloop::bulk_store(global, shared, bytes)` take them to `out`. A store completes for the thread that started it, in groups: `bulk_commit_group()` closes one,
# and `bulk_wait_group_read<n>()` waits until all but the newest n have been read from shared memory. With two buffers, a row's store runs while the next row is computed. No thread stores to `out` itself.
#
# ### HINTS gemm_hopper.store_back

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "store_back", "locked": true, "points": 15, "solution": false, "task": false}
check("gemm_hopper.store_back")

# %% [markdown]
# ## 6. A tile of a tensor map
#
# ### CARD gemm_hopper.tensor_tile
#
# `tensor_tile(in, out, n, m)` transposes a float32 matrix of m rows and n columns: `out` is [n, m]. It is launched as `<<<dim3(ceil(n / 32), ceil(m / 32)), 256>>>`: block (i, j) has the columns from 32 i and the rows from 32 j on.
#
# `in` is a tensor map with boxes of 32 × 32 and a **swizzle of 128 bytes**. `hotloop::tensor_load(tile, &in, &barrier, column, row)` brings a box, as rows of 128 bytes; chunk c (16 bytes) of row r lies at
# place c XOR (r % 8) of its row. The tile begins at a multiple of 1,024 bytes. At the edges, elements outside of the matrix arrive as zeros, and **their bytes count too**; do not write them.
#
# Read the tile without bank conflicts, and write whole sectors of 32 bytes.
#
# ### HINTS gemm_hopper.tensor_tile

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tensor_tile", "locked": true, "points": 15, "solution": false, "task": false}
check("gemm_hopper.tensor_tile")

# %% [markdown]
# ## 7. Places and descriptors
#
# ### CARD gemm_hopper.descriptor
#
# Write `descriptor(start, swizzle, row, byte)`. A tile in shared memory begins at address `start`, a multiple of 1,024. Its rows have `swizzle` bytes (32, 64 or 128), and a tensor copy with this swizzle has filled it. Return
# `{"place": …, "descriptor": …}`:
#
# - `place`: the address where byte `byte` of row `row` lies. The swizzle XORs bits of an address: with 128 bytes, bits 7 to 9 into bits 4 to 6; with 64 bytes, bits 7 and 8 into 4 and 5; with 32 bytes, bit 7 into bit 4.
# - `descriptor`: wgmma's 64-bit number for an operand that begins at this row and byte, with rows along k. Where it is asked for, `row` is a multiple of 8 and `byte` of 32.
#
# | bits | field |
# | --- | --- |
# | 0–13 | address / 16, before the swizzle |
# | 16–29 | leading dimension, not used with a swizzle |
# | 32–45 | stride / 16: bytes from 8 rows to the next 8 rows |
# | 49–51 | base offset: 0 here |
# | 62–63 | swizzle: 1 for 128 bytes, 2 for 64, 3 for 32 |
#
# ### HINTS gemm_hopper.descriptor


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "descriptor_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_hopper.descriptor
### STUB def descriptor(start, swizzle, row, byte):
### STUB     raise NotImplementedError("gemm_hopper.descriptor")
def descriptor(start, swizzle, row, byte):
    address = start + row * swizzle + byte
    chunks = swizzle // 16  # of a row; as many values has what is XORed
    place = address ^ (address >> 7) % chunks << 4
    stride = 8 * swizzle
    mode = {128: 1, 64: 2, 32: 3}[swizzle]
    number = address >> 4 & 0x3FFF | stride >> 4 << 32 | mode << 62
    return {"place": place, "descriptor": number}


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "descriptor", "locked": true, "points": 8, "solution": false, "task": false}
check("gemm_hopper.descriptor")

# %% [markdown]
# ## 8. One warp group, one tile
#
# ### CARD gemm_hopper.wgmma_tile
#
# `wgmma_tile(a, b, c, m, n, k)` in `gemm.cu` computes c = a · bᵀ: `a` is [m, k] and `b` [n, k] in bfloat16, `c` [m, n] in float32. It is launched as `<<<dim3(m / 64, n / 64), 128>>>`, one warp group for each 64 × 64 elements of c; all
# extents are multiples of 64.
#
# `a` and `b` are tensor maps with boxes of 64 × 64 (rows × k) and a swizzle of 128 bytes. For each 64 of k, load both tiles onto one mbarrier, and multiply four times with
# `hotloop::wgmma<bf16>(sums, descriptor_of_a, descriptor_of_b, adds)`, 16 along k each. The comment at `wgmma` in `hopper.cuh` says which of the 32 sums of a thread belongs to which element. One stage is enough here.
#
# ### HINTS gemm_hopper.wgmma_tile

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "wgmma_tile", "locked": true, "points": 20, "solution": false, "task": false}
check("gemm_hopper.wgmma_tile")

# %% [markdown]
# ## 9. Warp specialization
#
# ### CARD gemm_hopper.gemm_hopper
#
# `gemm_hopper(a, b, c, m, n, k)`: the same product, launched as `<<<dim3(m / 128, n / 128), 384, 132096>>>`. The boxes have 128 rows and 64 of k; m and n are multiples of 128, k of 64. The dynamic shared memory holds four stages:
# `extern __shared__ __align__(1024) unsigned char memory[];`
#
# - **One warp group is the producer**: one of its threads fills the stages. **The two others are consumers** of 64 rows each; both read the same tile of b.
# - Move registers with `hotloop::setmaxnreg_dec<40>()` in the producer and `hotloop::setmaxnreg_inc<232>()` in the consumers. All warps of a group execute it.
# - Keep **one product in flight**: start the next step's products before you wait for this step's, with `wgmma_wait_group<1>`, and give back a stage only when its products are complete.
#
# The check counts the bytes that are on their way while the consumers multiply. nvcc's machine code must have USETMAXREG: ptxas drops it without `__launch_bounds__(384, 1)`.
#
# ### HINTS gemm_hopper.gemm_hopper

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "gemm_hopper", "locked": true, "points": 33, "solution": false, "task": false}
check("gemm_hopper.gemm_hopper")

# %% [markdown]
# ## 10. Persistent blocks, stores by TMA
#
# ### CARD gemm_hopper.persistent
#
# `persistent(a, b, c, m, n, k)`: as task 9, but `c` is bfloat16 and a tensor map too, with boxes of 64 × 64 and a swizzle of 128 bytes. There are at most as many blocks as SMs, `<<<min(tiles, SMs), 384, 164864>>>`; block i computes the
# tiles i, i + gridDim.x, … of 128 × 128, in any order of yours.
#
# - **The producer does not wait for an epilogue**: it goes on with the next tile's stages. Slots and parities go on across tiles.
# - The consumers write their sums as bfloat16 to shared memory, **where the swizzle wants them**, so that no bank is asked twice, and `hotloop::tensor_store(&c, shared, column, row)` takes each box to c. `hotloop::barrier_sync(number, threads)` is a barrier of one
#   group only (numbers 1 to 15).
#
# Dynamic shared memory: four stages, and 32 KB for a tile of c.
#
# ### HINTS gemm_hopper.persistent

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "persistent", "locked": true, "points": 33, "solution": false, "task": false}
check("gemm_hopper.persistent")

# %% [markdown]
# ## 11. 8-bit floats with block scales
#
# ### CARD gemm_hopper.fp8_block_scaled
#
# `fp8_block_scaled(a, b, a_scales, b_scales, c, m, n, k)`: `a` [m, k] and `b` [n, k] are e4m3, as tensor maps with boxes of 64 and of 128 rows and 128 of k, swizzle of 128 bytes. **Each 128 elements along k have a scale**: `a_scales` [k / 128, m] has one for each
# row of a, `b_scales` [n / 128, k / 128] one for each 128 rows of b. `c` [m, n] is float32. Launched as `<<<dim3(m / 64, n / 128), 256, 99328>>>`, memory for four stages.
#
# The tensor cores add up one step of 128 (four products of 32); then the sums are **promoted**: times both scales, added to a second set of registers in float32. Copy with one warp and multiply with one warp group, as in task 9.
#
# ### HINTS gemm_hopper.fp8_block_scaled

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "fp8_block_scaled", "locked": true, "points": 20, "solution": false, "task": false}
check("gemm_hopper.fp8_block_scaled")

# %% [markdown]
# ## 12. Read machine code
#
# ### CARD gemm_hopper.inspect_sass
#
# Write `inspect_sass(path)`: `path` is an excerpt of machine code (SASS) as nvdisasm prints it, of Hopper (sm_90a) or of Blackwell (sm_100a). Return how often each instruction occurs:
#
# | key | instructions |
# | --- | --- |
# | `bulk_loads`, `bulk_stores` | `UBLKCP.S.G`, `UBLKCP.G.S` |
# | `tensor_loads`, `tensor_stores` | `UTMALDG`, `UTMASTG` |
# | `products` | `HGMMA` and `QGMMA` (wgmma in 16 and 8 bits), `UTCHMMA` (Blackwell's tcgen05.mma) |
# | `barrier_tests` | `SYNCS.PHASECHK` |
# | `tensor_memory_loads` | `LDTM`, from Blackwell's tensor memory |
# | `flops` | two operations for each m · n · k in the names of HGMMA and QGMMA, each instruction once |
#
# An instruction follows its address and perhaps a predicate: `/*04e0*/ @UP1 UTCHMMA gdesc[UR10], …`. Names of kernels and comments may
# contain the same words.
#
# ### HINTS gemm_hopper.inspect_sass


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "inspect_sass_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_hopper.inspect_sass
### STUB def inspect_sass(path):
### STUB     raise NotImplementedError("gemm_hopper.inspect_sass")
import re


def inspect_sass(path):
    kinds = {
        "bulk_loads": ("UBLKCP.S.G",),
        "bulk_stores": ("UBLKCP.G.S",),
        "tensor_loads": ("UTMALDG.",),
        "tensor_stores": ("UTMASTG.",),
        "products": ("HGMMA.", "QGMMA.", "UTCHMMA"),
        "barrier_tests": ("SYNCS.PHASECHK",),
        "tensor_memory_loads": ("LDTM",),
    }
    found = dict.fromkeys([*kinds, "flops"], 0)
    with open(path, encoding="utf-8") as stream:
        for line in stream:
            code = re.match(r"\s*/\*[0-9a-f]+\*/\s+(?:@!?\w+\s+)?(\S+)", line)
            if code is None:
                continue
            for kind, names in kinds.items():
                found[kind] += code[1].startswith(names)
            shape = re.match(r"[HQ]GMMA\.(\d+)x(\d+)x(\d+)", code[1])
            if shape:
                m, n, k = map(int, shape.groups())
                found["flops"] += 2 * m * n * k
    return found


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "inspect_sass", "locked": true, "points": 6, "solution": false, "task": false}
check("gemm_hopper.inspect_sass")

# %% [markdown]
# ## 13. Blackwell: sums in tensor memory
#
# ### CARD gemm_hopper.tensor_memory
#
# `tensor_memory(a, b, c, m, n, k)` in `blackwell.cu`: the product of task 8, as `<<<dim3(m / 128, n / 64), 128>>>` with 128 × 64 elements of c for each block. `a` has boxes of 128 rows, `b` of 64, both of 64 along k with a swizzle of 128 bytes.
#
# Blackwell has no wgmma. **One thread** starts a product (`umma_bf16`), its sums lie in **tensor memory**, and an mbarrier says when it is complete (`umma_commit`). The comments in `hotloop/blackwell.cuh` say which function is for a warp and which for a thread.
# mbarriers and tensor loads are those that you know.
#
# The simulator has no tensor memory: nvcc compiles the kernel for sm_100a, and the check reads its machine code. **No check computes its
# values here.** So review it as in task 3: which thread waits for which barrier, and what may be overwritten when?
#
# ### HINTS gemm_hopper.tensor_memory

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "tensor_memory", "locked": true, "points": 4, "solution": false, "task": false}
check("gemm_hopper.tensor_memory")

# %% [markdown]
# ## 14. Read what CuTe DSL has made
#
# ### CARD gemm_hopper.read_cute
#
# CuTe DSL is CUTLASS's language in Python: kernels are written with layouts and partitions, and compiled by MLIR to PTX, without a GPU. What has become of the pipeline that you know?
#
# Write `read_ptx(path)`: of the PTX of such a product, a dict of
#
# | key | what |
# | --- | --- |
# | `shape` | wgmma's, such as `"m64n128k16"` |
# | `products` | how many `wgmma.mma_async` there are |
# | `barriers` | how many mbarriers are initialized |
# | `arrivals` | the largest number of arrivals that one of them is initialized with |
# | `loads` | tensor copies to shared memory, in the text |
# | `bytes` | the most that a phase expects (`expect_tx`) |
# | `producer_registers`, `consumer_registers` | the fewest of a `setmaxnreg.dec`, the most of a `setmaxnreg.inc`; 0 without one |
#
# Comments may contain the same words. A number may stand in a register that one `mov.b32` sets.
#
# ### HINTS gemm_hopper.read_cute


# %% nbgrader={"schema_version": 3, "grade": false, "grade_id": "read_cute_solution", "locked": false, "solution": true, "task": false}
### BEGIN SOLUTION gemm_hopper.read_cute
### STUB def read_ptx(path):
### STUB     raise NotImplementedError("gemm_hopper.read_cute")
import re
from pathlib import Path


def read_ptx(path):
    text = "\n".join(line.split("//")[0] for line in Path(path).read_text().splitlines())

    def number(operand):
        if operand.isdecimal():
            return int(operand)
        return int(re.search(rf"mov\.b32\s+{operand}, (\d+);", text)[1])

    shapes = re.findall(r"wgmma\.mma_async\S*\.(m\d+n\d+k\d+)\.", text)
    inits = re.findall(r"mbarrier\.init\.\S+\s+\[[^]]+\], (\S+);", text)
    expected = re.findall(r"mbarrier\.arrive\.expect_tx\S*\s+\S+ \[[^]]+\], (\S+);", text)
    fewer, more = (re.findall(rf"setmaxnreg\.{way}\S*\s+(\d+);", text) for way in ("dec", "inc"))
    return {
        "shape": shapes[0],
        "products": len(shapes),
        "barriers": len(inits),
        "arrivals": max(map(number, inits)),
        "loads": len(re.findall(r"cp\.async\.bulk\.tensor\.\dd\.shared", text)),
        "bytes": max(map(number, expected)),
        "producer_registers": min(map(int, fewer), default=0),
        "consumer_registers": max(map(int, more), default=0),
    }


### END SOLUTION

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "read_cute", "locked": true, "points": 4, "solution": false, "task": false}
check("gemm_hopper.read_cute")

# %% [markdown]
# ## 15. The same kernel in CuTe DSL
#
# ### CARD gemm_hopper.cute_dsl
#
# Write `Product.product` in `cute_dsl.py`: the kernel of task 9 for tiles of 128 × `tile_n` of c and `stages` slots, with c in float16. Warps 0 to 7 multiply, warp 8 copies; `a` is [m, k] and `b` [n, k], both multiples of the tile. The host's side is given: it makes the two tensor maps and the layouts of the slots.
#
# The package is NVIDIA's, of 0.9 GB with cuTile's: `hotloop doctor --install tile_languages` makes an environment of its own, and says how to check in it. The judge has ptxas assemble your PTX, and reads it as you did in task 14. **Nobody checks its values here**, as in task 13.
#
# ### HINTS gemm_hopper.cute_dsl

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cute_dsl", "locked": true, "points": 5, "solution": false, "task": false}
check("gemm_hopper.cute_dsl")

# %% [markdown]
# ## 16. The same product in cuTile
#
# ### CARD gemm_hopper.cutile
#
# In cuTile a kernel has tiles and blocks, and neither threads nor shared memory: the compiler (`tileiras`) decides on slots, barriers, roles and registers. One Tile IR runs on every generation from Ampere on.
#
# Write `product(a, b, c, tile_m, tile_n, tile_k)` in `cutile.py`: block (i, j) computes the tile of c = a @ b there, with sums in float32. m, n and k are any, also no multiples of a tile. It takes the environment of task 15. The judge runs your Tile IR on numpy, where the elements outside of an array are NaN unless you say what stands there; then it assembles the same for Hopper and
# for Blackwell, and looks for tensor cores and TMA in both.
#
# Which of the decisions of task 9 does each of the three languages leave to you: Gluon (in the module before this one), CuTe DSL, cuTile?
#
# ### HINTS gemm_hopper.cutile

# %% nbgrader={"schema_version": 3, "grade": true, "grade_id": "cutile", "locked": true, "points": 7, "solution": false, "task": false}
check("gemm_hopper.cutile")

# %% [markdown]
# ## 17. Where does the time go?
#
# ### CARD gemm_hopper.explain
#
# A GPU has 130 SMs, 800 TFLOP/s in bfloat16 and 4 TB/s, and 227 KB of shared memory for a block. A tile needs 1 µs from the start of its copy until its bytes are in shared memory. Your kernel is that of task 9: 128 × 128 of c for each block, steps of 64 along k.
# Answer in 120 to 280 words, with calculations:
#
# 1. How long does a step take if the tensor cores never wait? How many stages does it take to hide the latency, and do they fit?
# 2. What changes with tiles of 128 × 256: bytes and operations for each step, stages that fit, registers of a consumer thread for its sums?
# 3. At 8192 × 8192 × 8192 you measure 55 % of the 800 TFLOP/s. Which two figures of a profile tell you whether the pipeline runs empty, and what would you change in either case?
#
# A person grades this answer.
#
# ### HINTS gemm_hopper.explain

# %% [markdown] nbgrader={"schema_version": 3, "grade": true, "grade_id": "explain", "locked": false, "points": 8, "solution": true, "task": false}
# ### BEGIN SOLUTION gemm_hopper.explain
# ### STUB *Write your answer here.*
# A step has 2 · 128 · 128 · 64 = 2.1 million operations. An SM does 800 · 10¹² / 130 = 6.15 · 10¹² a second, so a step takes 0.34 µs. To hide 1 µs, three steps must be on their way while a fourth one is multiplied: four stages. A stage
# is 128 · 64 · 2 + 128 · 64 · 2 = 32 KB, so four need 128 KB, and seven would fit (224 KB) if the epilogue needs no memory.
#
# With 128 × 256 a stage has 16 + 32 = 48 KB and a step 4.2 million operations, 0.68 µs. Bytes are 1.5 times as many for twice the operations, so 85 instead of 64 operations a byte between L2 and shared memory. Two stages of lead are enough; four (192 KB) fit,
# with 35 KB left for the epilogue. Each consumer thread holds 64 · 256 / 128 = 128 sums, twice as many as before; with setmaxnreg 232 or 240 they fit without spills.
#
# I look at how long consumers wait at the full barriers (stall reasons of the warps, by line) and at the tensor pipe's utilization within the main loop. If they wait there, the pipeline is empty: more stages, larger tiles, an order of tiles for L2, multicast. Then I look at
# bytes from L2 and DRAM. If they do not wait and the pipe is busy in the loop, the time goes elsewhere: prologue and epilogue (persistent blocks), an incomplete last wave (8192² has 4096 tiles, 31.5 waves of 130), or the clock under power. I would check the number of waves first, as it costs nothing.
# ### END SOLUTION
