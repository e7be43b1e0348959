// The checker: a separate WebAssembly module, whose memory a simulated program cannot reach. It runs
// the program's threads one at a time, and is called before every access.
//
// PROGRAM marks functions that an instrumented program calls, HOST those that the host process calls.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
typedef int s32;
typedef long long s64;

#define PROGRAM(name) __attribute__((export_name(name)))
#define HOST(name) __attribute__((export_name(name)))
#define GLUE(name) __attribute__((import_module("glue"), import_name(name)))

GLUE("load") u64 load(u32 at, u32 bytes);
GLUE("store") void store(u32 at, u32 bytes, u64 value);
GLUE("fill") void fill(u32 at, u32 byte, u32 bytes);

enum { WARP = 32, MOST_THREADS = 1024, MOST_WARPS = MOST_THREADS / WARP, MOST_SITES = 1 << 16 };

// --- findings (findings.c) ---------------------------------------------------------------------------

enum kind {
  RACE, OUT_OF_BOUNDS, MISALIGNED, UNINITIALIZED_SHARED, UNINITIALIZED_GLOBAL, HOST_ACCESS, READ_ONLY,
  DIVERGENT_BARRIER, DIVERGENT_WARP, DIFFERENT_CALLS, BAD_MASK, TRAP, STACK_OVERFLOW,
  OUTSIDE_ARRAY,
  ASYNC_RACE, NO_BARRIER, BARRIER_UNORDERED, BARRIER_AGAIN, BARRIER_BYTES, BARRIER_UNFENCED, TOO_MANY_ARRIVALS, HANG,
  BYTES_DIFFER, NO_PROXY_FENCE, IN_FLIGHT, BAD_ASYNC, ACCUMULATOR_IN_FLIGHT, NO_WGMMA_FENCE, SWIZZLES_DIFFER,
  UNEVEN_WARPGROUP, NAMED_HANG, NAMED_DIFFERS, NAMED_AGAIN, UNORDERED_ARRIVAL, OVERTAKEN, UNEVEN_WAITS,
  GRID_HANG, GRID_COPIES, UNLIKE_OPERANDS, UNEVEN_REGISTERS, TOO_MANY_REGISTERS,
};
enum did {
  READS, WRITES, UPDATES, WAITS, TRAPS, INDEXES,
  COPY_READS, COPY_WRITES, WGMMA_READS, INITIALIZES, ARRIVES, EXPECTS, COPIES, MULTIPLIES,
};
// More of an access. RELAXED: see memory.c. OF_BLOCK: an atomic for threads of its own block only. LOADS: one
// that only reads. OF_AGENT: not by a thread, see agents.c.
enum { DID = 15, RELAXED = 16, OF_BLOCK = 32, LOADS = 64, OF_AGENT = 128 };
enum order { ACQUIRE = 1, RELEASE = 2, BLOCK_SCOPE = 4 };

// What is wrong with the arguments of an asynchronous operation.
enum bad_async {
  TOO_MANY_AGENTS, NOT_SHARED, BARRIER_ALIGNMENT, BAD_COUNT, TOO_MANY_BARRIERS, TOO_MANY_BYTES, SHARED_ALIGNMENT, GLOBAL_ALIGNMENT,
  BYTES_OF_16, NO_MAP, TILE_ALIGNMENT, MAP_ALIGNMENT, NO_WARPGROUP, NOT_REGISTERS, TOO_MANY_ACCUMULATORS, BAD_NUMBER, BAD_THREADS,
  INSIDE_PATTERN, LOCAL_MAP, COPY_SIZE, COPY_ENDS, TOO_MANY_COPIES,
};
// Of IN_FLIGHT, behind LOAD and STORE of bulk.c and wgmma's 2: the end of a cp.async that something else has written.
enum in_flight { SOURCE = 3, DESTINATION };

// One party of a finding: a place in the code, what it did there, and the thread and block.
typedef struct { u32 site, did, block, thread; } Witness;
typedef struct {
  u32 kind, kernel, witnesses, count;
  Witness who[2];
  u32 address, region;   // address: of the first byte. region: the region's number plus 1, or 0
  u32 more[4];           // its meaning depends on the kind
} Finding;

void find(u32 kind, u32 address, u32 region, Witness one, const Witness* other, u32 a, u32 b, u32 c, u32 d);
__attribute__((noreturn)) void abandon(void);

// --- memory (memory.c) -------------------------------------------------------------------------------

enum space { LOCAL, SHARED, GLOBAL, CONSTANT, ELSEWHERE };

// Accesses to a 4-byte word. A Cell holds two of them; further ones are in a list that starts at `more`.
// Of an agent: warp and lanes are its number, barriers is the thread that has started it.
typedef struct { u32 block, lanes, barriers, epoch : 27, warp : 5; u16 site; u8 kind, bytes; } Record;
typedef struct { Record at[2]; u32 more; } Cell;

typedef struct {
  u32 begin, end, space, live;
  u32 of_device;         // host code must not access it
  Cell* cells;           // one for each 4 bytes
  u8* written;           // a bit for each byte; null if all bytes are written
  u32 used;              // 1 once a kernel has written, 2 once one has read; the host's query clears it
  struct Store* stores;  // the last ordinary store to each 4 bytes, see agents.c; null before the first
  u8* swizzles;          // how a tensor copy has laid out each 16 bytes, see bulk.c; null before the first
} Region;

Region* region_at(u32 address);
u32 region_number(const Region* region);
void* take(u32 bytes);
void begin_block_memory(u32 block);
u32 is_written(const Region* region, u32 address, u32 bytes);
void set_written(Region* region, u32 address, u32 bytes);
u32 space_of(u32 address);
u32 shared_count(void);
Region* shared_region(u32 number);
u32 bytes_written(const Region* region);
void set_stack(u32 thread);
u32 stack_top(u32 thread);
void begin_thread(u32 thread, u32 is_fresh, u32 used);
void forget_below(u32 thread, u32 address);
extern u8 polls[MOST_SITES];
void forget_polling(u32 thread);
void read_to_copy(u32 address, u32 bytes, u32 site);
void begin_copy(u32 address, u32 bytes, u32 site);
void access(u32 base, u32 offset, u32 info);
void outside(u32 address, u32 bytes, u32 site, u32 did) __attribute__((noreturn));
u32 is_on_own_stack(u32 address, u32 bytes);
void end_copy(u32 address, u32 bytes, u32 site, u32 is_overlapped);
extern u32 dynamic_bytes;

// --- races (races.c) ---------------------------------------------------------------------------------

void begin_race_launch(void);
void race(Region* region, u32 address, u32 bytes, u32 did, u32 site);
void settle(void);
void fence_of_thread(u32 is_of_block);
u32 has_fence(void);
void synchronize_through(u32 address, u32 wrote, u32 order);
void swaps(Region* region, u32 address);
void warp_synchronized(u32 first, u32 members);
void barrier_passed(void);
void forget_thread(u32 thread);
Witness writer_of(const Region* region, u32 address, u32 but);
extern u32 in_doubt;
void race_of_agent(Region* region, u32 address, u32 bytes, u32 did, u32 site, u32 agent, u32 epoch);
Record record_of_thread(u32 did, u32 site);
u32 follows(const Record* record);
void knowledge_of(u32 thread, u32* clock);
void release_clock(u32 thread, u32* clock);
void learn(u32 thread);
u32 has_messages(u32 thread);
void tell_messages(u32 thread, u32* map);
void learn_messages(u32 thread, u32 map);
void join_messages(u32* to, u32 map);

// --- agents (agents.c) -------------------------------------------------------------------------------

// A clock has an entry for each thread and agent of the block, and how many __syncthreads() were passed.
enum { MOST_AGENTS = MOST_THREADS, FIRST_AGENT = MOST_THREADS, SYNCHRONIZED = FIRST_AGENT + MOST_AGENTS, CLOCK };
enum agent_of { BARRIER_COPIES, GROUP_READS, GROUP_WRITES, WGMMA };
typedef struct { u32 of, number; } Agent;

extern u32 has_agents;   // in this block
u32* thread_clock(u32 thread);
// Those of the lanes whose accesses up to the record's epoch are not known.
u32 unknown_lanes(const u32* epochs_known, const Record* record, u32 lanes);
u32 lanes_beyond_clock(const u32* clock, const Record* record, u32 lanes);
void join_clock(u32* to, const u32* from);
void join_clocks(u32 first, u32 members);
void join_all_clocks(void);
void begin_agents(void);
void begin_block_agents(void);
void end_block_agents(void);
u32 new_agent(u32 of, u32 number, u32 site);
const Agent* agent_at(u32 number);
void bad_async(u32 what, u32 address, u32 value, u32 site) __attribute__((noreturn));
void note_store(Region* region, u32 address, u32 bytes, u32 site);
extern u32 work_count;
void agent_reads(u32 address, u32 bytes, u32 space, u32 site, u32 agent, u32 epoch);
void agent_writes(u32 address, u32 bytes, u32 space, u32 site, u32 agent, u32 epoch);

// --- mbarriers (mbarriers.c) -------------------------------------------------------------------------

typedef struct {
  u32 address, count, pending, phase, is_fenced, is_reported, agent;
  u32 had_bytes;                               // in the phase before
  s32 bytes;                                   // expected, less those that copies have brought
  u32 expected, brought;                       // of this phase
  Record init;
  Witness initialized, expects, arrived;
  u32 *arriving, *done;                        // clocks: of this phase, and of all that are complete
  u32 arriving_messages, done_messages;        // what was learnt through atomics, likewise
} Barrier;

Barrier* barrier_of_copy(u32 address, u32 site);
const Barrier* barrier_number(u32 number);
u32 number_of_barrier(const Barrier* barrier);
void bring(u32 number, u32 phase, u32 bytes, Witness copy);
u32 earlier_wait(u32 thread, const Barrier* barrier, u32 phase);
u32 begin_wait(u32 thread, u32 address, u32 parity, u32 how, u32 site);
u32 wake_waiting(void);
u32 report_hang(void);
void touch_barrier(u32 address, u32 bytes, u32 did, u32 site);
void fence_barriers(void);
void begin_block_barriers(void);
u32 arrive_at_named(u32 number, u32 count, u32 only_arrives, u32 site);

// --- bulk copies (bulk.c) ----------------------------------------------------------------------------

u32 complete_copies(u32 must);
void begin_block_bulk(void);
void end_block_bulk(void);
u32 swizzled(u32 address, u32 bytes);
u32 swizzle_at(const Region* region, u32 address);
void forget_swizzles(Region* region, u32 address, u32 bytes);

// --- wgmma (wgmma.c) ---------------------------------------------------------------------------------

extern u32 has_accumulators;   // of the running thread
void touch_accumulators(u32 address, u32 bytes, u32 did, u32 site);
void begin_thread_wgmma(u32 thread);
void note_registers(u32 registers, u32 site);
void begin_block_wgmma(void);
void end_block_wgmma(void);
u32 end_products(u32 thread, u32 newest);
u32 report_uneven(void);
void count_wait(u32 newest, u32 site);

// --- traffic (traffic.c) -----------------------------------------------------------------------------

// overlapped: bytes of asynchronous copies whose thread did a shuffle between their start and their wait,
// so it worked with its warp in the meantime.
typedef struct { u64 accesses, bytes, requests, moved, fewest; u32 width, space, did, overlapped; } Traffic;

void begin_traffic(u32 kernel);
void local_traffic(u32 site, u32 bytes, u32 did, u32 may_be_in_registers);
void traffic(u32 site, u32 address, u32 bytes, u32 space, u32 did, u32 lane);
void overlapped_traffic(u32 site, u32 bytes);
void bulk_traffic(u32 site, u32 bytes, u32 sectors, u32 space, u32 did);
void operand_traffic(u32 site, const u32* rows, u32 count);
void next_lane(void);
void end_requests(void);

// --- asynchronous copies (copies.c) ------------------------------------------------------------------

void forget_copies(void);
u32 has_copies(u32 thread);

// --- scheduler (scheduler.c) -------------------------------------------------------------------------

enum state { FRESH, READY, AT_BARRIER, AT_WARP, FINISHED, AT_MBARRIER, AT_NAMED, AT_WGMMA, AT_GRID };
// MBARRIER: mask is the parity, value the address, source 0 for a try, 1 for a test. NAMED: mask threads, value the barrier's number.
// PRODUCTS: value is how many groups may be incomplete.
enum wait_op {
  BARRIER, COUNT, AND, OR, YIELD, SYNC, SHUFFLE, BALLOT, MATCH_ANY, MATCH_ALL, ADD, MIN_U, MAX_U, MIN_S,
  MAX_S, BIT_AND, BIT_OR, BIT_XOR, ACTIVE, MBARRIER, NAMED, PRODUCTS, GRID,
};

typedef struct {
  u8 state, op;
  u16 site;              // the place where it waits
  u32 mask, source, top, stack, shuffles, yields;
  u64 value, result, clock;
} Thread;

extern Thread threads[MOST_THREADS];
u32 is_parameter(u32 address);
extern u32 is_watched, running, thread, block, block_in_launch, block_threads, kernel_number, first_block;
extern u32 statements[MOST_SITES], last_site;
Witness me(u32 site, u32 did);
void trap(u32 site);
extern u32 order;
void arrange(u32* numbers, u32 count);
u32 run_block(u32 number, u32 kernel, u32 phase);
void begin_phase(u32 blocks);

// --- cooperative launches (grid.c) -------------------------------------------------------------------

void bring_back(u32 block);
u32 waits_for_grid(void);
void run_together(u32 kernel, u32 blocks);

u32 random_below(u32 count);

static inline u32 lane_bit(u32 t) { return 1u << (t % WARP); }
static inline u32 least(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 most(u32 a, u32 b) { return a > b ? a : b; }
