// Asynchronous copies from global to shared memory (cp.async). The bytes are loaded when a thread starts the
// copy and stored when that thread waits for it; other threads may use them after a barrier after that.
//
// Until then the old contents are lost: a read returns NaN and is reported as a read of unwritten
// memory. The write is recorded at the start of the copy and again at its end, so any thread that uses these
// bytes in between, without a barrier, has a race with it.
// Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async" (commit groups, wait_group).
#include "checker.h"

enum { MOST_COPIES = 128 };
typedef struct { u32 to, bytes, site, group, shuffles; u64 data[2]; } Copy;
typedef struct { u32 first, count, group; Copy at[MOST_COPIES]; } Copies;
static Copies copies[MOST_THREADS];

void forget_copies(u32 t) { copies[t].first = copies[t].count = copies[t].group = 0; }
u32 has_copies(u32 t) { return copies[t].count; }

// bytes: 4, 8 or 16. The first `filled` bytes come from memory, the others are zeros.
PROGRAM("copy_later") void copy_later(u32 to, u32 from, u32 bytes, u32 filled, u32 site) {
  Copies* mine = copies + thread;
  const u32 fits = (bytes == 4 || bytes == 8 || bytes == 16) && filled <= bytes;
  const u32 is_global = space_of(from) != LOCAL && space_of(from) != SHARED;
  if (!fits || mine->count == MOST_COPIES || space_of(to) != SHARED || !is_global) trap(site);
  Copy* copy = mine->at + (mine->first + mine->count++) % MOST_COPIES;
  *copy = (Copy){to, bytes, site, mine->group, threads[thread].shuffles, {0, 0}};
  if (is_watched) read_to_copy(from, filled, site);
  for (u32 i = 0; i < filled; ++i) copy->data[i / 8] |= load(from + i, 1) << i % 8 * 8;
  if (is_watched) begin_copy(to, bytes, site);
  fill(to, 0xff, bytes);
}

PROGRAM("commit_copies") void commit_copies(void) { ++copies[thread].group; }

// newest: how many of the latest groups may still be incomplete.
PROGRAM("wait_for_copies") void wait_for_copies(u32 newest) {
  Copies* mine = copies + thread;
  for (; mine->count; --mine->count, mine->first = (mine->first + 1) % MOST_COPIES) {
    const Copy* copy = mine->at + mine->first;
    if (copy->group + newest >= mine->group) return;
    if (is_watched) end_copy(copy->to, copy->bytes, copy->site, threads[thread].shuffles != copy->shuffles);
    for (u32 i = 0; i < copy->bytes; i += 4) store(copy->to + i, 4, copy->data[i / 8] >> i % 8 * 8);
  }
}
