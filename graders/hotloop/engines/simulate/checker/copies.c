// Asynchronous copies from global to shared memory (cp.async). The bytes are loaded when a thread starts the
// copy and stored when that thread waits for it; other threads may use them after a barrier after that.
//
// Until then the old contents are lost: a read returns NaN and is reported as a read of unwritten
// memory. The write is recorded at the start of the copy and again at its end, so any thread that uses these
// bytes in between, without a barrier, has a race with it. A GPU may read and write at any time in between: other
// bytes at either end are reported, whoever wrote them and however that was ordered.
// Source: PTX ISA, "Data Movement and Conversion Instructions: cp.async" (commit groups, wait_group).
#include "checker.h"

// More than shared memory has room for, so that only copies to the same bytes can use them up.
enum { MOST_COPIES = 1 << 16 };
typedef struct { u32 to, from, bytes, filled, site, group, shuffles, next; u64 data[2]; } Copy;
// Numbers of copies: 0 is none.
typedef struct { u32 first, last, group; } Copies;
static Copy all[MOST_COPIES];
static u32 unused, used;
static Copies copies[MOST_THREADS];

void forget_copies(void) {
  if (!used) return;
  used = unused = 0;
  __builtin_memset(copies, 0, sizeof copies);
}
u32 has_copies(u32 t) { return copies[t].first; }

// bytes: 4, 8 or 16. The first `filled` bytes come from memory, the others are zeros.
PROGRAM("copy_later") void copy_later(u32 to, u32 from, u32 bytes, u32 filled, u32 site) {
  Copies* mine = copies + thread;
  const u32 is_global = space_of(from) != LOCAL && space_of(from) != SHARED;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || filled > bytes) bad_async(COPY_SIZE, to, filled > bytes ? filled : bytes, site);
  if (space_of(to) != SHARED || !is_global) bad_async(COPY_ENDS, to, 0, site);
  const u32 number = unused ? unused : ++used;
  if (number >= MOST_COPIES) used = MOST_COPIES - 1, bad_async(TOO_MANY_COPIES, to, MOST_COPIES - 1, site);
  if (number == unused) unused = all[number].next;
  Copy* copy = all + number;
  *copy = (Copy){to, from, bytes, filled, site, mine->group, threads[thread].shuffles, 0, {0, 0}};
  if (mine->first) all[mine->last].next = number; else mine->first = number;
  mine->last = number;
  if (is_watched) read_to_copy(from, filled, site);
  for (u32 i = 0; i < filled; ++i) copy->data[i / 8] |= load(from + i, 1) << i % 8 * 8;
  if (is_watched) begin_copy(to, bytes, site);
  fill(to, 0xff, bytes);
}

PROGRAM("commit_copies") void commit_copies(void) { ++copies[thread].group; }

// Report a write to one of the copy's ends since it has begun.
static void find_other_bytes(const Copy* copy) {
  for (u32 i = 0; i < copy->bytes; ++i) {
    const u64 byte = copy->data[i / 8] >> i % 8 * 8 & 0xff;
    const u32 of_source = i < copy->filled && load(copy->from + i, 1) != byte, at = of_source ? copy->from + i : copy->to + i;
    if (!of_source && (!is_written(region_at(at), at, 1) || load(at, 1) == byte)) continue;
    const Witness writer = writer_of(region_at(at), at, copy->site);
    find(IN_FLIGHT, at, region_number(region_at(at)), me(copy->site, COPIES), writer.site ? &writer : 0, of_source ? SOURCE : DESTINATION, 0, 0, 0);
    return;
  }
}

// newest: how many of the latest groups may still be incomplete.
PROGRAM("wait_for_copies") void wait_for_copies(u32 newest) {
  Copies* mine = copies + thread;
  while (mine->first) {
    const u32 number = mine->first;
    Copy* copy = all + number;
    if (copy->group + newest >= mine->group) return;
    if (is_watched) {
      find_other_bytes(copy);
      end_copy(copy->to, copy->bytes, copy->site, threads[thread].shuffles != copy->shuffles);
    }
    for (u32 i = 0; i < copy->bytes; i += 4) store(copy->to + i, 4, copy->data[i / 8] >> i % 8 * 8);
    mine->first = copy->next;
    copy->next = unused;
    unused = number;
  }
}
