// Runs the blocks of a grid one after the other, and each block's threads one at a time: all lanes of a warp
// run as far as they can, then the next warp. The order is a parameter, because a program must not depend
// on it. The findings are stored here, too.
#include "checker.h"

Thread threads[MOST_THREADS];
u32 running, thread, block, block_in_launch, block_threads, kernel_number, first_block = 1;
u32 statements[MOST_SITES];
u32 order;
static u32 next_block = 1, random_state;
static u32 grid[3], extent[3], coordinates[12];
static u32 frames_at, frame_bytes, own_frames, object_bytes, is_cooperative;
u32 is_watched;
static u32 blocks_done;


// --- findings ------------------------------------------------------------------------------------------

enum { MOST_FINDINGS = 200 };
static Finding findings[MOST_FINDINGS];
static u32 finding_count;

HOST("findings") u32 findings_at(void) { return (u32)findings; }
HOST("finding_count") u32 findings_found(void) { return finding_count; }
HOST("last_site") u32 site_of_last(void) { return last_site; }
HOST("where") u64 where(void) { return (u64)block_in_launch << 32 | thread; }

Witness me(u32 site, u32 did) { return (Witness){site, did, block_in_launch, thread}; }

void find(u32 kind, u32 address, u32 region, Witness a, const Witness* b, u32 x, u32 y, u32 z, u32 w) {
  for (u32 i = 0; i < finding_count; ++i) {
    Finding* f = findings + i;
    const u32 same = f->kind == kind && f->kernel == kernel_number && statements[f->who[0].site] == statements[a.site];
    if (!same || (b && statements[f->who[1].site] != statements[b->site])) continue;
    ++f->count;
    return;
  }
  if (finding_count == MOST_FINDINGS) return;
  Finding* f = findings + finding_count++;
  *f = (Finding){kind, kernel_number, b ? 2 : 1, 1, {a}, address, region, {x, y, z, w}};
  if (b) f->who[1] = *b;
}

// Ends the launch: the host catches the trap.
void abandon(void) { __builtin_trap(); }
HOST("recover") void recover(void) { running = 0; in_doubt = 0; end_requests(); }
PROGRAM("trap") void trap(u32 site) {
  find(TRAP, 0, 0, me(site, TRAPS), 0, 0, 0, 0, 0);
  abandon();
}

PROGRAM("outside") void outside_array(u32 index, u32 site) {
  find(OUTSIDE_ARRAY, 0, 0, me(site, INDEXES), 0, index, 0, 0, 0);
  abandon();
}

// --- what a thread asks --------------------------------------------------------------------------------

PROGRAM("index") u32 index_of(u32 which) {
  if (which < 12) return coordinates[which];
  return which == 12 ? thread % WARP : which == 13 ? dynamic_bytes : which == 14 ? is_cooperative : 0;
}
// Each thread has its own clock, from its start: a shared one would carry values between threads.
PROGRAM("clock") u64 clock_of(void) { return threads[thread].clock += 32; }

// Above this bit, `source` tells apart the functions that share an operation, such as __shfl_up_sync and
// __shfl_sync. Lanes may meet in one function at several lines: from sm_70 on they need not converge.
// Source: PTX ISA, "shfl.sync" and "vote.sync".
enum { KIND_SHIFT = 8, KIND_REGISTERS = 9 };

PROGRAM("wait") void wait(u32 op, u32 mask, u64 value, u32 source, u32 site) {
  Thread* t = threads + thread;
  if (op != YIELD) last_site = site, forget_polling(thread);
  if (in_doubt) settle();
  if (op > GRID || (op == GRID && !is_cooperative)) __builtin_trap();
  if (op >= SYNC && op < ACTIVE && !(mask & lane_bit(thread))) {
    find(BAD_MASK, 0, 0, me(site, WAITS), 0, mask, 0, 0, 0);
    abandon();
  }
  t->op = (u8)op;
  t->mask = mask;
  t->value = value;
  t->source = source;
  t->site = (u16)site;
  t->shuffles += op == SHUFFLE;
  t->yields = op == YIELD ? t->yields + 1 : 0;
  if (op == BALLOT && source >> KIND_SHIFT == KIND_REGISTERS) note_registers((u32)value, site);
  if (op == MBARRIER) t->state = begin_wait(thread, (u32)value, mask, source, site) ? READY : AT_MBARRIER;
  else if (op == NAMED) t->state = arrive_at_named((u32)value, mask, 0, site) ? READY : AT_NAMED;
  else if (op == PRODUCTS) count_wait((u32)value, site), t->state = end_products(thread, (u32)value) ? READY : AT_WGMMA;
  else if (op == GRID) t->state = AT_GRID;
  else t->state = op < YIELD ? AT_BARRIER : op == YIELD ? READY : AT_WARP;
}
PROGRAM("result") u64 result(void) { return threads[thread].result; }

// --- order ---------------------------------------------------------------------------------------------

// 0: forward, 1: reverse, others: the seed of a random order.
HOST("set_order") void set_order(u32 which) { order = which; random_state = which * 2654435761u + 1; }
u32 random_below(u32 count) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 17;
  random_state ^= random_state << 5;
  return random_state % count;
}
void arrange(u32* numbers, u32 count) {
  for (u32 i = 0; i < count; ++i) numbers[i] = order == 1 ? count - 1 - i : i;
  if (order < 2) return;
  for (u32 i = count; i > 1; --i) {
    const u32 k = random_below(i), kept = numbers[k];
    numbers[k] = numbers[i - 1];
    numbers[i - 1] = kept;
  }
}

// --- warp operations -----------------------------------------------------------------------------------

static u64 combined(u32 op, u64 a, u64 b) {
  const u32 x = (u32)a, y = (u32)b;
  switch (op) {
    case ADD: return x + y;
    case MIN_U: return least(x, y);
    case MAX_U: return most(x, y);
    case MIN_S: return (u32)((s32)x < (s32)y ? x : y);
    case MAX_S: return (u32)((s32)x < (s32)y ? y : x);
    case BIT_AND: return x & y;
    case BIT_OR: return x | y;
    default: return x ^ y;
  }
}


// The value that a lane gets from a lane that does not participate. CUDA leaves it undefined, so it depends
// on the order: NaN, which min and max ignore, or a large number, which changes a sum.
static u64 undefined(void) {
  return order == 0 ? 0x7fbadbad7fbadbadull : order == 1 ? 0x7f0badba7f0badbaull : 0xff0badbaff0badbaull;
}

static u64 result_of(const Thread* lanes, u32 members, const Thread* t) {
  u64 total = 0;
  u32 first = 1;
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 lane = (u32)__builtin_ctz(rest);
    const u64 value = lanes[lane].value;
    if (t->op == BALLOT) total |= value ? 1u << lane : 0;
    else if (t->op == MATCH_ANY || t->op == MATCH_ALL) total |= value == t->value ? 1u << lane : 0;
    else if (t->op >= ADD && t->op <= BIT_XOR) total = first ? (u32)value : combined(t->op, total, value), first = 0;
  }
  switch (t->op) {
    case SHUFFLE: {
      const u32 source = t->source & ((1 << KIND_SHIFT) - 1);
      return source < WARP && (members >> source & 1) ? lanes[source].value : undefined();
    }
    case MATCH_ALL: return total == members;
    case ACTIVE: return members;
    default: return total;
  }
}

static void finish(u32 first, u32 members) {
  Thread* lanes = threads + first;
  u64 results[WARP];
  const Thread* one = lanes + __builtin_ctz(members);
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 lane = (u32)__builtin_ctz(rest);
    results[lane] = result_of(lanes, members, lanes + lane);
    if (lanes[lane].source >> KIND_SHIFT != one->source >> KIND_SHIFT) {
      const Witness other = {lanes[lane].site, WAITS, block_in_launch, first + lane};
      const Witness mine = {one->site, WAITS, block_in_launch, (u32)(one - threads)};
      find(DIFFERENT_CALLS, 0, 0, mine, &other, one->op, one->source >> KIND_SHIFT, lanes[lane].source >> KIND_SHIFT, 0);
    }
  }
  const u32 syncs = one->op == SYNC;
  for (u32 rest = members; rest; rest &= rest - 1) {
    Thread* t = lanes + __builtin_ctz(rest);
    t->result = results[__builtin_ctz(rest)];
    t->state = READY;
  }
  if (syncs && is_watched) warp_synchronized(first, members);
}

// The lanes that wait in the same operation with the same mask, or 0 while some are missing. Finished lanes
// are not waited for.
static u32 complete(const Thread* lanes, u32 count, const Thread* one) {
  u32 members = 0;
  for (u32 lane = 0; lane < count; ++lane) {
    if (!(one->mask >> lane & 1) || lanes[lane].state == FINISHED) continue;
    const Thread* t = lanes + lane;
    if (t->state != AT_WARP || t->op != one->op || t->mask != one->mask) return 0;
    members |= 1u << lane;
  }
  return members;
}

// The result of __activemask: the lanes that wait at the same line once no other lane can continue. One that has only
// waited for another thread for long may wait for these.
enum { YIELDS_WHILE_WAITING = 16 };
static u32 complete_active(u32 first, u32 count) {
  const Thread* lanes = threads + first;
  const Thread* one = 0;
  for (u32 lane = 0; lane < count; ++lane) {
    if (lanes[lane].state == FRESH || (lanes[lane].state == READY && lanes[lane].yields < YIELDS_WHILE_WAITING)) return 0;
    if (!one && lanes[lane].state == AT_WARP && lanes[lane].op == ACTIVE) one = lanes + lane;
  }
  if (!one) return 0;
  u32 members = 0;
  for (u32 lane = 0; lane < count; ++lane) {
    const Thread* t = lanes + lane;
    if (t->state == AT_WARP && t->op == ACTIVE && statements[t->site] == statements[one->site]) members |= 1u << lane;
  }
  finish(first, members);
  return 1;
}

static u32 complete_operations(u32 first, u32 count) {
  u32 completed = 0;
  for (u32 lane = 0; lane < count; ++lane) {
    const Thread* t = threads + first + lane;
    if (t->state != AT_WARP || t->op == ACTIVE) continue;
    const u32 members = complete(threads + first, count, t);
    if (members) finish(first, members), completed = 1;
  }
  return completed || complete_active(first, count);
}

// --- running -------------------------------------------------------------------------------------------

static void coordinate(u32* to, u32 number, const u32* of) {
  to[0] = number % of[0];
  to[1] = number / of[0] % of[1];
  to[2] = number / of[0] / of[1];
}

// Of the kernel: its parameters lie at the top of each thread's stack.
u32 is_parameter(u32 address) { return address >= stack_top(thread) - object_bytes; }

static void resume(u32 t, u32 kernel) {
  Thread* it = threads + t;
  thread = t;
  coordinate(coordinates, t, extent);
  const u32 is_fresh = it->state == FRESH;
  begin_thread(t, is_fresh, is_watched ? object_bytes : stack_top(1) - stack_top(0));
  next_lane();
  if (is_fresh) it->stack = stack_top(t), it->top = frames_at + (own_frames + t) * frame_bytes;
  it->state = FINISHED;
  // 0: run it from its start; 2: resume it where it waits.
  const u64 left = ((u64 (*)(u32, u32, u32))kernel)(is_fresh ? 0 : 2, it->top, it->stack);
  if (in_doubt) settle();
  if (!left) return;
  it->top = (u32)left;
  it->stack = (u32)(left >> 32);
}

static u32 run_warp(u32 warp, u32 kernel) {
  const u32 first = warp * WARP, count = least(WARP, block_threads - first);
  u32 lanes[WARP], ran = 0;
  do {
    arrange(lanes, count);
    for (u32 i = 0; i < count; ++i) {
      const u32 state = threads[first + lanes[i]].state;
      if (state != FRESH && state != READY) continue;
      resume(first + lanes[i], kernel);
      ran = 1;
    }
    end_requests();
  } while (complete_operations(first, count));
  return ran;
}

static void require_same_barrier(u32 a, u32 b) {
  if (statements[threads[a].site] == statements[threads[b].site]) return;
  const Witness other = {threads[b].site, WAITS, block_in_launch, b};
  find(DIVERGENT_BARRIER, 0, 0, (Witness){threads[a].site, WAITS, block_in_launch, a}, &other, 0, 0, 0, 0);
  abandon();
}

// Open the barrier if all unfinished threads wait there: from sm_70 on it does not wait for threads that have
// returned. Source: CUDA C++ Programming Guide, "Compute Capability 7.x".
static u32 open_barrier(void) {
  u32 waiting = 0, one = 0, count = 0, all = 1, any = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    if (threads[t].state != AT_BARRIER) return 0;
    if (waiting++) require_same_barrier(one, t); else one = t;
    count += threads[t].value != 0;
    all &= threads[t].value != 0;
    any |= threads[t].value != 0;
  }
  if (!waiting) return 0;
  if (is_watched) barrier_passed();
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != AT_BARRIER) continue;
    threads[t].state = READY;
    threads[t].result = threads[t].op == COUNT ? count : threads[t].op == AND ? all : any;
  }
  return 1;
}

// Report a deadlock: no thread can continue, as a lane waits for lanes that wait elsewhere.
static void report_deadlock(void) {
  u32 stuck = MOST_THREADS, missing = MOST_THREADS, at_barrier = MOST_THREADS;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == AT_WARP && stuck == MOST_THREADS) stuck = t;
    if (threads[t].state == AT_BARRIER && at_barrier == MOST_THREADS) at_barrier = t;
  }
  if (stuck == MOST_THREADS) abandon();
  const Thread* it = threads + stuck;
  for (u32 t = stuck / WARP * WARP; t < least(block_threads, (stuck / WARP + 1) * WARP); ++t) {
    const Thread* other = threads + t;
    if (!(it->mask & lane_bit(t)) || other->state == FINISHED) continue;
    if (other->state == AT_WARP && other->op == it->op && other->mask == it->mask) continue;
    missing = t;
    break;
  }
  const u32 who = missing < MOST_THREADS ? missing : at_barrier;
  const Witness other = {who < MOST_THREADS ? threads[who].site : 0, WAITS, block_in_launch, who};
  find(DIVERGENT_WARP, 0, 0, (Witness){it->site, WAITS, block_in_launch, stuck}, who < MOST_THREADS ? &other : 0, it->op, it->mask, 0, 0);
  abandon();
}

static void begin_threads(u32 number, u32 phase) {
  if (phase) bring_back(number);
  else if (is_watched) begin_block_memory(block);
  if (!phase) forget_copies();
  begin_block_agents();
  for (u32 t = 0; t < block_threads; ++t) {
    forget_thread(t);
    forget_polling(t);
    if (phase) continue;
    threads[t].state = FRESH;
    threads[t].clock = 0;
    threads[t].shuffles = threads[t].yields = 0;
  }
}

// Whether the block now waits at grid.sync(). phase: how many of them it has passed.
u32 run_block(u32 number, u32 kernel, u32 phase) {
  u32 warps[MOST_WARPS];
  const u32 warp_count = (block_threads + WARP - 1) / WARP;
  block_in_launch = number;
  block = first_block + number;
  own_frames = is_cooperative ? number * block_threads : 0;
  coordinate(coordinates + 3, number, grid);
  begin_threads(number, phase);
  for (;;) {
    u32 ran = 0, left = 0;
    arrange(warps, warp_count);
    for (u32 w = 0; w < warp_count; ++w) ran |= run_warp(warps[w], kernel);
    for (u32 t = 0; t < block_threads; ++t) left += threads[t].state != FINISHED;
    if (!left) break;
    if (has_agents) ran |= complete_copies(0), ran |= wake_waiting();
    if (open_barrier() || ran) continue;
    if (has_agents && complete_copies(1)) { wake_waiting(); continue; }
    if (is_cooperative && waits_for_grid()) return 1;
    if (report_hang()) abandon();
    report_deadlock();
  }
  end_block_agents();
  ++blocks_done;
  return 0;
}

// To races, accesses before and behind grid.sync() belong to different launches.
void begin_phase(u32 blocks) {
  first_block = next_block;
  next_block += blocks;
  begin_race_launch();
}

HOST("blocks_done") u32 blocks_that_ended(void) { return blocks_done; }

// kernel: its index in the function table. number: index for its records. objects: bytes of its parameters
// on each thread's stack. cooperative: whether blocks can wait for each other. The host has checked the sizes.
HOST("launch") void launch(u32 kernel, u32 number, u32 gx, u32 gy, u32 gz, u32 bx, u32 by, u32 bz, u32 dynamic, u32 objects, u32 cooperative) {
  static u32 some[1 << 16];
  if (running) __builtin_trap();
  grid[0] = coordinates[9] = gx;
  grid[1] = coordinates[10] = gy;
  grid[2] = coordinates[11] = gz;
  extent[0] = coordinates[6] = bx;
  extent[1] = coordinates[7] = by;
  extent[2] = coordinates[8] = bz;
  block_threads = bx * by * bz;
  dynamic_bytes = dynamic;
  object_bytes = objects;
  kernel_number = number;
  const u32 blocks = gx * gy * gz;
  is_cooperative = cooperative;
  running = 1;
  blocks_done = 0;
  begin_phase(blocks);
  begin_traffic(number);
  if (cooperative) {
    run_together(kernel, blocks);
    running = 0;
    return;
  }
  // Very large grids are shuffled in parts.
  for (u32 from = 0; from < blocks; from += sizeof some / sizeof *some) {
    const u32 part = order == 1 ? (blocks - 1 - from) / (1 << 16) * (1 << 16) : from;
    const u32 base = order == 1 ? part : from, count = least(blocks - base, sizeof some / sizeof *some);
    arrange(some, count);
    for (u32 i = 0; i < count; ++i) run_block(base + some[i], kernel, 0);
  }
  running = 0;
}

HOST("set_frames") void set_frames(u32 at, u32 bytes, u32 watched) {
  frames_at = at;
  frame_bytes = bytes;
  is_watched = watched;
}
