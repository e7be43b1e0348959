// Bulk copies (cp.async.bulk), plain ones and those of tiles of a tensor, between global and shared memory.
//
// A copy is checked when it is started, with what its thread knows then. Its bytes move when it completes: late (when
// nothing else can go on) in the first order, at once in the second, at any time in the others. A load completes on an
// mbarrier, a store when its thread waits for its group.
// Source: PTX ISA, "cp.async.bulk", "cp.async.bulk.tensor" and "Tensors"; CUDA Driver API, cuTensorMapEncodeTiled.
#include "checker.h"

enum { MOST_COPIES = 4096, MOST_RANK = 5, IS_MAP = 0x70a5a9 };

// As cuTensorMapEncodeTiled in runtime headers writes it. size, box: elements. stride: bytes.
typedef struct { u32 is_map, base, rank, element, swizzle, size[MOST_RANK], stride[MOST_RANK], box[MOST_RANK]; } Map;
// A plain copy has a map of rank 0. barrier: its number plus 1; 0 for a store.
// is_done: its bytes have moved; a store is kept until its thread has waited for it.
typedef struct { u32 barrier, phase, group, shared, global, bytes, work, is_done; s32 at[MOST_RANK]; Map map; Witness who; } Copy;

static Copy copies[MOST_COPIES];
static u32 copy_count;
// Of each thread's stores: agents (plus 1), the open group, the newest group that has a store (plus 1), and up to which
// its reads are waited for.
static struct { u32 reads, writes, open, newest, waited; Witness who; } groups[MOST_THREADS];
u32 work_count;   // reads of shared memory and products, by threads

void begin_block_bulk(void) {
  copy_count = 0;
  __builtin_memset(groups, 0, block_threads * sizeof *groups);
}

// --- tiles -----------------------------------------------------------------------------------------------

// Swizzle of 32, 64 or 128 bytes: bits 7 to 9 of an address are added to bits 4 to 6.
u32 swizzled(u32 address, u32 bytes) { return bytes ? address ^ (address >> 7 & (bytes / 16 - 1)) << 4 : address; }

// The swizzle in bytes plus 1 with which a tensor copy has laid out these 16 bytes; 0 if anything else has written them.
u32 swizzle_at(const Region* r, u32 address) { return r->swizzles ? r->swizzles[(address - r->begin) / 16] : 0; }
void forget_swizzles(Region* r, u32 address, u32 bytes) {
  for (u32 i = (address - r->begin) / 16; i <= (address + bytes - 1 - r->begin) / 16; ++i) r->swizzles[i] = 0;
}
static void note_swizzle(u32 address, u32 bytes, u32 swizzle) {
  Region* r = region_at(address);
  if (!r->swizzles) r->swizzles = take((r->end - r->begin) / 16 + 2);
  for (u32 i = (address - r->begin) / 16; i <= (address + bytes - 1 - r->begin) / 16; ++i) r->swizzles[i] = (u8)(swizzle + 1);
}

// A row of a tile: its elements along the first dimension, `first` to `last` of which lie in the tensor, from `global` on.
typedef struct { u32 shared, first, last, global; } Row;
static u32 row_bytes(const Map* m) { return m->box[0] * m->element; }
static u32 rows_of(const Map* m) {
  u32 count = 1;
  for (u32 d = 1; d < m->rank; ++d) count *= m->box[d];
  return count;
}
static Row row_of(const Copy* c, u32 number) {
  const Map* m = &c->map;
  Row row = {c->shared + number * row_bytes(m), 0, 0, m->base};
  u32 rest = number;
  for (u32 d = 1; d < m->rank; ++d) {
    const s32 at = c->at[d] + (s32)(rest % m->box[d]);
    rest /= m->box[d];
    if (at < 0 || (u32)at >= m->size[d]) return row;
    row.global += (u32)at * m->stride[d];
  }
  const s64 begin = c->at[0], end = begin + m->box[0], size = m->size[0];
  if (end <= 0 || begin >= size) return row;
  row.first = begin < 0 ? (u32)-begin : 0;
  row.last = (u32)((end < size ? end : size) - begin);
  row.global += (u32)(c->at[0] + (s32)row.first) * m->element;
  return row;
}

// --- starting --------------------------------------------------------------------------------------------

static void complete(u32 which);
static void remove_copy(u32 which);

static Copy* new_copy(u32 shared, u32 global, u32 bytes, u32 site) {
  if (copy_count == MOST_COPIES) complete(0);
  if (copy_count == MOST_COPIES) remove_copy(0);   // a store
  Copy* c = copies + copy_count++;
  *c = (Copy){.shared = shared, .global = global, .bytes = bytes, .work = work_count, .who = me(site, COPIES)};
  return c;
}

static void begin_group(u32 site) {
  if (groups[thread].reads) return;
  groups[thread].reads = new_agent(GROUP_READS, thread, site) + 1;
  groups[thread].writes = new_agent(GROUP_WRITES, thread, site) + 1;
}

enum { LOAD, STORE };
PROGRAM("bulk") void bulk(u32 op, u32 shared, u32 global, u32 bytes, u32 barrier, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  if (shared % 16) bad_async(SHARED_ALIGNMENT, shared, shared % 16, site);
  if (global % 16) bad_async(GLOBAL_ALIGNMENT, global, global % 16, site);
  if (!bytes || bytes % 16) bad_async(BYTES_OF_16, shared, bytes, site);
  if (op == LOAD) {
    const Barrier* b = barrier_of_copy(barrier, site);
    agent_reads(global, bytes, GLOBAL, site, b->agent, b->phase + 1);
    agent_writes(shared, bytes, SHARED, site, b->agent, b->phase + 1);
    Copy* c = new_copy(shared, global, bytes, site);
    c->barrier = number_of_barrier(b) + 1, c->phase = b->phase;
  } else {
    begin_group(site);
    const u32 group = groups[thread].open;
    agent_reads(shared, bytes, SHARED, site, groups[thread].reads - 1, group + 1);
    agent_writes(global, bytes, GLOBAL, site, groups[thread].writes - 1, group + 1);
    new_copy(shared, global, bytes, site)->group = group;
    groups[thread].newest = group + 1, groups[thread].who = me(site, COPIES);
  }
  bulk_traffic(site, bytes, (bytes + 31) / 32, GLOBAL, op == LOAD ? READS : WRITES);
  bulk_traffic(site, bytes, 0, SHARED, op == LOAD ? WRITES : READS);
}

static Map map_at(u32 address, u32 site) {
  if (address % 64) bad_async(MAP_ALIGNMENT, address, address % 64, site);
  if (is_on_own_stack(address, 1) && !is_parameter(address)) bad_async(LOCAL_MAP, address, 0, site);
  Map m;
  for (u32 i = 0; i < sizeof m; i += 4) {
    if (is_watched) access(address, i, 4 | 2 << 6 | site << 9);
    *(u32*)((u8*)&m + i) = (u32)load(address + i, 4);
  }
  u32 is_map = m.is_map == IS_MAP && m.rank - 1 < MOST_RANK && (m.element == 1 || m.element == 2 || m.element == 4 || m.element == 8);
  is_map = is_map && (m.swizzle == 0 || m.swizzle == 32 || m.swizzle == 64 || m.swizzle == 128);
  u64 bytes = m.element;
  for (u32 d = 0; is_map && d < m.rank; ++d) is_map = m.box[d] - 1 < 256 && m.size[d] && (bytes *= m.box[d]) <= 1 << 20;
  if (!is_map || row_bytes(&m) % 16 || (m.swizzle && row_bytes(&m) > m.swizzle)) bad_async(NO_MAP, address, 0, site);
  return m;
}

// The tile of a tensor map that begins at the element (x, y, z, u, v). Elements outside of the tensor are zeros when they are
// loaded, and are left out when they are stored.
PROGRAM("bulk_tensor") void bulk_tensor(u32 op, u32 shared, u32 map, u32 barrier, u32 x, u32 y, u32 z, u32 u, u32 v, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  if (shared % 128) bad_async(TILE_ALIGNMENT, shared, shared % 128, site);
  const Map m = map_at(map, site);
  const u32 bytes = row_bytes(&m) * rows_of(&m), is_load = op == LOAD;
  // A swizzle permutes whole pieces of its own size.
  const u32 touched = m.swizzle ? (bytes + m.swizzle - 1) / m.swizzle * m.swizzle : bytes;
  const Barrier* b = is_load ? barrier_of_copy(barrier, site) : 0;
  if (!is_load) begin_group(site);
  const u32 epoch = b ? b->phase + 1 : groups[thread].open + 1;
  if (!is_load) agent_reads(shared, touched, SHARED, site, groups[thread].reads - 1, epoch);
  Copy copy = {.shared = shared, .bytes = bytes, .at = {(s32)x, (s32)y, (s32)z, (s32)u, (s32)v}, .map = m};
  u32 moved = 0, sectors = 0;
  for (u32 i = 0; i < rows_of(&m); ++i) {
    const Row row = row_of(&copy, i);
    const u32 count = (row.last - row.first) * m.element;
    if (!count) continue;
    if (is_load) agent_reads(row.global, count, GLOBAL, site, b->agent, epoch);
    else agent_writes(row.global, count, GLOBAL, site, groups[thread].writes - 1, epoch);
    moved += count, sectors += (row.global + count - 1) / 32 - row.global / 32 + 1;
  }
  if (is_load) agent_writes(shared, touched, SHARED, site, b->agent, epoch);
  Copy* c = new_copy(shared, 0, bytes, site);
  c->map = m;
  __builtin_memcpy(c->at, copy.at, sizeof copy.at);
  if (is_load) c->barrier = number_of_barrier(b) + 1, c->phase = b->phase;
  else c->group = groups[thread].open, groups[thread].newest = epoch, groups[thread].who = me(site, COPIES);
  bulk_traffic(site, moved, sectors, GLOBAL, is_load ? READS : WRITES);
  bulk_traffic(site, bytes, 0, SHARED, is_load ? WRITES : READS);
}

// --- completing ------------------------------------------------------------------------------------------

static void move_some(u32 from, u32 to, u32 bytes) { store(to, bytes, load(from, bytes)); }

// Elements that lie in the tensor, 8 bytes at a time where all of them do.
static void move_row(const Map* m, const Row* row, u32 is_store) {
  const u32 first = row->first * m->element, last = row->last * m->element;
  for (u32 i = first; i < last;) {
    const u32 step = i % 8 || last - i < 8 ? m->element : 8;
    const u32 shared = swizzled(row->shared + i, m->swizzle), global = row->global + i - first;
    if (is_store) move_some(shared, global, step); else move_some(global, shared, step);
    i += step;
  }
}

// The writes of a store: in memory, and as the running thread's own if it has waited for them.
static void note_written(u32 address, u32 bytes, u32 is_own, u32 site) {
  if (!is_watched || !bytes) return;
  Region* r = region_at(address);
  if (!is_own) {
    set_written(r, address, bytes);
    return;
  }
  // In accesses as wide as a thread's.
  for (u32 i = 0, part; i < bytes; i += part) {
    part = least(16 - (address + i) % 16, bytes - i);
    race(r, address + i, part, WRITES, site);
  }
}

static void note_stored(const Copy* c, u32 is_own) {
  if (!c->map.rank) note_written(c->global, c->bytes, is_own, c->who.site);
  for (u32 i = 0; c->map.rank && i < rows_of(&c->map); ++i) {
    const Row row = row_of(c, i);
    note_written(row.global, (row.last - row.first) * c->map.element, is_own, c->who.site);
  }
}

static void move_bytes(const Copy* c) {
  const u32 is_store = !c->barrier;
  for (u32 i = 0; !c->map.rank && i < c->bytes; i += 8) {
    if (is_store) move_some(c->shared + i, c->global + i, 8); else move_some(c->global + i, c->shared + i, 8);
  }
  for (u32 i = 0; c->map.rank && !is_store && i < c->bytes; i += 8) store(c->shared + i, 8, 0);
  for (u32 i = 0; c->map.rank && i < rows_of(&c->map); ++i) {
    const Row row = row_of(c, i);
    move_row(&c->map, &row, is_store);
  }
  if (is_store) { note_stored(c, 0); return; }
  if (!is_watched) return;
  Region* r = region_at(c->shared);
  set_written(r, c->shared, c->bytes);
  if (c->map.rank) note_swizzle(c->shared, c->bytes, c->map.swizzle);
  else if (r->swizzles) forget_swizzles(r, c->shared, c->bytes);
}

static void remove_copy(u32 which) {
  __builtin_memmove(copies + which, copies + which + 1, (copy_count - which - 1) * sizeof *copies);
  --copy_count;
}

// A load is gone then.
static void complete(u32 which) {
  const Copy c = copies[which];
  if (c.is_done) return;
  move_bytes(&c);
  if (!c.barrier) {
    copies[which].is_done = 1;
    return;
  }
  remove_copy(which);
  if (work_count != c.work) overlapped_traffic(c.who.site, c.bytes);
  bring(c.barrier - 1, c.phase, c.bytes, c.who);
}

// must: nothing else can go on. Returns whether any copy is complete now.
u32 complete_copies(u32 must) {
  if (order == 0 && !must) return 0;
  u32 done = 0, oldest = copy_count;
  for (u32 i = copy_count; i-- > 0;) {
    if (copies[i].is_done) continue;
    if (order > 1 ? random_below(2) : order == 1) complete(i), done = 1; else oldest = i;
  }
  if (done || !must || oldest == copy_count) return done;
  complete(oldest);
  return 1;
}

// --- groups of stores ------------------------------------------------------------------------------------

static void wait_for_groups(u32 newest, u32 only_reads) {
  if (!groups[thread].reads || groups[thread].open < newest) return;
  const u32 complete_to = groups[thread].open - newest;
  groups[thread].waited = most(groups[thread].waited, complete_to);
  if (is_watched) {
    u32* mine = thread_clock(thread) + FIRST_AGENT - 1;
    mine[groups[thread].reads] = most(mine[groups[thread].reads], complete_to);
    if (!only_reads) mine[groups[thread].writes] = most(mine[groups[thread].writes], complete_to);
  }
  for (u32 i = 0; i < copy_count;) {
    if (copies[i].barrier || copies[i].who.thread != thread || copies[i].group >= complete_to) { ++i; continue; }
    complete(i);
    if (only_reads) { ++i; continue; }
    const Copy c = copies[i];
    remove_copy(i);
    note_stored(&c, 1);
  }
}

enum { COMMIT, WAIT_READ, WAIT_ALL };
PROGRAM("bulk_group") void bulk_group(u32 op, u32 newest, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  if (op == COMMIT) ++groups[thread].open;
  else wait_for_groups(newest, op == WAIT_READ);
}

// Loads that nobody has waited for, and stores that may still read shared memory of a block that is over.
void end_block_bulk(void) {
  for (u32 t = 0; t < block_threads; ++t) {
    if (groups[t].newest > groups[t].waited) find(IN_FLIGHT, 0, 0, groups[t].who, 0, STORE, groups[t].newest > groups[t].open, 0, 0);
  }
  for (u32 i = 0; i < copy_count; ++i) {
    if (copies[i].barrier) find(IN_FLIGHT, 0, 0, copies[i].who, 0, LOAD, copies[i].bytes, 0, 0);
  }
  for (u32 i = 0; i < copy_count; ++i) if (!copies[i].is_done) move_bytes(copies + i);
}
