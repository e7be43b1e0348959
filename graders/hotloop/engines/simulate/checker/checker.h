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
};
enum did { READS, WRITES, UPDATES, WAITS, TRAPS, INDEXES };
// More of an access. RELAXED: see memory.c. OF_BLOCK: an atomic for threads of its own block only. LOADS: one
// that only reads.
enum { DID = 15, RELAXED = 16, OF_BLOCK = 32, LOADS = 64 };
enum order { ACQUIRE = 1, RELEASE = 2, BLOCK_SCOPE = 4 };

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
typedef struct { u32 block, lanes, barriers, epoch : 27, warp : 5; u16 site; u8 kind, bytes; } Record;
typedef struct { Record at[2]; u32 more; } Cell;

typedef struct {
  u32 begin, end, space, live;
  u32 of_device;         // host code must not access it
  Cell* cells;           // one for each 4 bytes
  u8* written;           // a bit for each byte; null if all bytes are written
  u32 stored;            // set when a kernel writes; the host's query clears it
} Region;

Region* region_at(u32 address);
u32 region_number(const Region* region);
void* take(u32 bytes);
void begin_block_memory(u32 block);
u32 is_written(const Region* region, u32 address, u32 bytes);
void set_written(Region* region, u32 address, u32 bytes);
u32 space_of(u32 address);
extern u8 polls[MOST_SITES];
void forget_polling(u32 thread);
void read_to_copy(u32 address, u32 bytes, u32 site);
void begin_copy(u32 address, u32 bytes, u32 site);
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
extern u32 in_doubt;

// --- traffic (traffic.c) -----------------------------------------------------------------------------

// overlapped: bytes of asynchronous copies whose thread did a shuffle between their start and their wait,
// so it worked with its warp in the meantime.
typedef struct { u64 accesses, bytes, requests, moved, fewest; u32 width, space, did, overlapped; } Traffic;

void begin_traffic(u32 kernel);
void local_traffic(u32 site, u32 bytes, u32 did, u32 may_be_in_registers);
void traffic(u32 site, u32 address, u32 bytes, u32 space, u32 did, u32 lane);
void overlapped_traffic(u32 site, u32 bytes);
void next_lane(void);
void end_requests(void);

// --- asynchronous copies (copies.c) ------------------------------------------------------------------

void forget_copies(u32 thread);

// --- scheduler (scheduler.c) -------------------------------------------------------------------------

enum state { FRESH, READY, AT_BARRIER, AT_WARP, FINISHED };
enum wait_op {
  BARRIER, COUNT, AND, OR, YIELD, SYNC, SHUFFLE, BALLOT, MATCH_ANY, MATCH_ALL, ADD, MIN_U, MAX_U, MIN_S,
  MAX_S, BIT_AND, BIT_OR, BIT_XOR, ACTIVE,
};

typedef struct {
  u8 state, op;
  u16 site;              // the place where it waits
  u32 mask, source, top, stack, shuffles;
  u64 value, result, clock;
} Thread;

extern Thread threads[MOST_THREADS];
extern u32 is_watched, running, thread, block, block_in_launch, block_threads, kernel_number, first_block;
extern u32 statements[MOST_SITES], last_site;
Witness me(u32 site, u32 did);
void trap(u32 site);

static inline u32 lane_bit(u32 t) { return 1u << (t % WARP); }
static inline u32 least(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 most(u32 a, u32 b) { return a > b ? a : b; }
