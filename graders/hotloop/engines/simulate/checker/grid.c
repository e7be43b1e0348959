// Cooperative launches: every block runs until it waits at grid.sync() or ends, and then they go on together.
//
// A block that waits is put aside: its threads, the used part of their stacks, and its shared memory. The frames of
// suspended calls stay where they are, because each block of such a launch has its own. To races.c the barrier is the end of
// one launch and the begin of another.
// Source: CUDA C++ Programming Guide, "Grid Synchronization".
#include "checker.h"

enum { MOST_BLOCKS = 1 << 16 };

// What a block has left: `at` has room for `room` bytes and is used again.
typedef struct { u8* at; u32 room; } Aside;
static Aside* asides;

// Bytes of the program's memory. Addresses are those of the block's own variables, which its accesses have passed.
static u8* keep(u8* to, u32 from, u32 bytes) {
  for (u32 i = 0; i < bytes; ++i) to[i] = (u8)load(from + i, 1);
  return to + bytes;
}
static const u8* give(const u8* from, u32 to, u32 bytes) {
  for (u32 i = 0; i < bytes; ++i) store(to + i, 1, from[i]);
  return from + bytes;
}

static u32 bytes_of_block(void) {
  u32 bytes = block_threads * sizeof(Thread);
  for (u32 i = 0; i < shared_count(); ++i) bytes += shared_region(i)->end - shared_region(i)->begin + bytes_written(shared_region(i));
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != FINISHED) bytes += stack_top(t) - threads[t].stack;
  }
  return bytes;
}

static void put_aside(u32 number) {
  const u32 bytes = bytes_of_block();
  Aside* aside = asides + number;
  if (aside->room < bytes) *aside = (Aside){take(bytes), bytes};
  u8* to = aside->at;
  __builtin_memcpy(to, threads, block_threads * sizeof(Thread));
  to += block_threads * sizeof(Thread);
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != FINISHED) to = keep(to, threads[t].stack, stack_top(t) - threads[t].stack);
  }
  for (u32 i = 0; i < shared_count(); ++i) {
    const Region* r = shared_region(i);
    to = keep(to, r->begin, r->end - r->begin);
    if (!r->written) continue;
    __builtin_memcpy(to, r->written, bytes_written(r));
    to += bytes_written(r);
  }
}

void bring_back(u32 number) {
  const u8* from = asides[number].at;
  __builtin_memcpy(threads, from, block_threads * sizeof(Thread));
  from += block_threads * sizeof(Thread);
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    from = give(from, threads[t].stack, stack_top(t) - threads[t].stack);
    forget_below(t, threads[t].stack);
    threads[t].state = READY;
  }
  for (u32 i = 0; i < shared_count(); ++i) {
    Region* r = shared_region(i);
    from = give(from, r->begin, r->end - r->begin);
    if (!r->written) continue;
    __builtin_memcpy(r->written, from, bytes_written(r));
    from += bytes_written(r);
  }
}

static Witness waiting(u32 t) { return (Witness){threads[t].site, WAITS, block_in_launch, t}; }

// Whether the running block waits for the others: all its threads are at one grid.sync(), or have returned.
u32 waits_for_grid(void) {
  u32 one = MOST_THREADS, other = MOST_THREADS;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    if (threads[t].state != AT_GRID && threads[t].state != AT_BARRIER) return 0;
    if (threads[t].state == AT_BARRIER) other = t;
    else if (one == MOST_THREADS) one = t;
    else if (statements[threads[t].site] != statements[threads[one].site]) other = t;
  }
  if (one == MOST_THREADS) return 0;
  const Witness mine = waiting(one);
  if (other < MOST_THREADS) {
    const Witness elsewhere = waiting(other);
    find(DIVERGENT_BARRIER, 0, 0, mine, &elsewhere, 0, 0, 0, 0);
    abandon();
  }
  // The first thread tells the other blocks that its own has arrived.
  if (threads[0].state == FINISHED) find(GRID_HANG, 0, 0, mine, 0, 1, 0, 0, 0), abandon();
  for (u32 t = 0; t < block_threads; ++t) {
    if (!has_copies(t)) continue;
    find(GRID_COPIES, 0, 0, waiting(t), 0, 0, 0, 0, 0);
    abandon();
  }
  return 1;
}

// All blocks arrive or all end: one that waits for a block which has ended waits forever.
void run_together(u32 kernel, u32 blocks) {
  static u32 numbers[MOST_BLOCKS];
  if (blocks > MOST_BLOCKS) __builtin_trap();
  if (!asides) asides = take(MOST_BLOCKS * sizeof *asides);
  for (u32 phase = 0;; ++phase) {
    u32 waits = 0;
    Witness last = {0, 0, 0, 0};
    arrange(numbers, blocks);
    for (u32 i = 0; i < blocks; ++i) {
      if (!run_block(numbers[i], kernel, phase)) continue;
      put_aside(numbers[i]);
      ++waits;
      last = waiting(0);
    }
    if (!waits) return;
    if (waits < blocks) find(GRID_HANG, 0, 0, last, 0, 0, blocks - waits, 0, 0), abandon();
    begin_phase(blocks);
  }
}
