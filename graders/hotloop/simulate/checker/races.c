// Races: two accesses to the same bytes by different threads, at least one of them a write, without an
// order between them.
//
// Accesses are ordered only by: __syncthreads within a block, __syncwarp within its lanes (not by shuffles
// and votes: CUDA promises no memory order for them), a fence before an atomic in one thread and an atomic on
// the same location in the other, and the end of a kernel. It does not matter whether a race changes the
// result, nor in which order threads happen to run.
// Source: CUDA C++ Programming Guide, "Memory Fence Functions" and "Synchronization Functions".
#include "checker.h"

enum { MOST_ACQUIRED = 8, DEPTH = 4, OVERFLOW = 1 << 20 };

// What is ordered before a thread's next access: all accesses of its block before its last barrier, and
// each lane's accesses in its warp up to an epoch.
static u32 barriers[MOST_THREADS];
static u32 epochs[MOST_THREADS], known[MOST_THREADS][WARP];

// What a fence releases through an atomic: the accesses ordered before it, and what its thread had acquired.
typedef struct { u32 location, count; } Acquired;
typedef struct {
  u32 number, block, barriers, warp;
  u32 known[WARP];
  u32 is_published, next_free;
  u32 acquired_count;
  Acquired acquired[MOST_ACQUIRED];
} Release;
typedef struct { u32 address, next, count, room; u32* releases; } Location;
typedef struct { u32 count, of[MOST_WARPS]; } Passed;

enum { MOST_RELEASES = 1 << 19, MOST_LOCATIONS = 1 << 20, BUCKETS = 1 << 16, MOST_PASSED = 1 << 16 };
static Release* releases;
static u32 release_count, free_release, fence_count;
static Location* locations;
static u32 location_count, buckets[BUCKETS];
static Passed* passed_sets;
static u32 passed_count;
static u32 fences[MOST_THREADS], passed[MOST_THREADS];   // numbers of releases and of sets, 0 for none
static Acquired acquired[MOST_THREADS][MOST_ACQUIRED];
static u32 acquired_count[MOST_THREADS];

// A word's records after the first two. A link left by an earlier launch is out of range or another word's.
typedef struct { Record record; u32 next; const Cell* of; } Extra;
static Extra* extras;
static u32 extra_count = 1, free_extra;

// Parts of the current access that overlap another thread's write; a copy has one part for each word.
enum { MOST_DOUBTS = 1024 };
u32 in_doubt;
static struct { u32 address, bytes; u64 before[2]; Region* region; Record first, second; } doubts[MOST_DOUBTS];

void begin_race_launch(void) {
  if (!releases) {
    releases = take(MOST_RELEASES * sizeof(Release));
    locations = take(MOST_LOCATIONS * sizeof(Location));
    passed_sets = take(MOST_PASSED * sizeof(Passed));
    extras = take(OVERFLOW * sizeof(Extra));
  }
  if (location_count) __builtin_memset(buckets, 0, sizeof buckets);
  release_count = free_release = location_count = passed_count = in_doubt = 0;
  __builtin_memset(fences, 0, sizeof fences);
  extra_count = 1;
  free_extra = 0;
}

// Free a fence that no atomic followed, as no thread can acquire it: most threads of a block have one.
static void drop_fence(u32 t) {
  const u32 number = fences[t];
  fences[t] = 0;
  if (!number || releases[number - 1].is_published) return;
  releases[number - 1].next_free = free_release;
  free_release = number;
}

void forget_thread(u32 t) {
  drop_fence(t);
  barriers[t] = 0;
  epochs[t] = 1;
  __builtin_memset(known[t], 0, sizeof known[t]);
  passed[t] = acquired_count[t] = 0;
}

static u32 knows_lanes(const u32* of, const Record* record, u32 lanes) {
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    if (of[__builtin_ctz(rest)] < record->epoch) return 0;
  }
  return 1;
}

static u32 covers(const Acquired* from, u32 count, const Record* record, u32 lanes, u32 parent, u32 depth) {
  if (!depth) return 0;
  for (u32 i = 0; i < count; ++i) {
    // A thread that acquires from a location acquires everything released there before.
    if (from[i].location == parent) continue;
    const Location* location = locations + from[i].location - 1;
    for (u32 k = from[i].count; k-- > 0;) {   // the newest cover most accesses
      const Release* r = releases + location->releases[k] - 1;
      if (r->block == record->block && (record->barriers < r->barriers || (r->warp == record->warp && knows_lanes(r->known, record, lanes)))) return 1;
      if (covers(r->acquired, r->acquired_count, record, lanes, from[i].location, depth - 1)) return 1;
    }
  }
  return 0;
}

static u32 is_ordered(const Record* record, u32 lanes) {
  if (record->block == block) {
    if (record->barriers < barriers[thread]) return 1;
    if (record->warp == thread / WARP && knows_lanes(known[thread], record, lanes)) return 1;
  }
  return acquired_count[thread] && covers(acquired[thread], acquired_count[thread], record, lanes, 0, DEPTH);
}

static u32 is_conflict(const Record* a, const Record* b) {
  if (!(a->bytes & b->bytes) || (a->kind == READS && b->kind == READS)) return 0;
  return !(a->kind == UPDATES && b->kind == UPDATES);
}

static void report(const Record* first, const Record* second, u32 address, Region* region) {
  u32 lanes = first->lanes;
  if (first->block == second->block && first->warp == second->warp) lanes &= ~second->lanes;
  const Witness a = {first->site, first->kind, first->block - first_block, first->warp * WARP + (u32)__builtin_ctz(lanes)};
  const Witness b = {second->site, second->kind, second->block - first_block, second->warp * WARP + (u32)__builtin_ctz(second->lanes)};
  find(RACE, address, region_number(region), a, &b, first->block == second->block, first->warp == second->warp, 0, 0);
}

// Two writes are no race if the second leaves the same bytes: compare once it is done.
void settle(void) {
  for (u32 d = 0; d < in_doubt; ++d) {
    u32 same = 1;
    for (u32 i = 0; i < doubts[d].bytes; i += 8) {
      same &= load(doubts[d].address + i, least(doubts[d].bytes - i, 8)) == doubts[d].before[i / 8];
    }
    if (!same) report(&doubts[d].first, &doubts[d].second, doubts[d].address, doubts[d].region);
  }
  in_doubt = 0;
}

// Save the bytes that the first write left, to compare them after the second one.
static void doubt(const Record* first, const Record* second, u32 address, u32 bytes, Region* region) {
  if (in_doubt && doubts[in_doubt - 1].address == address) return;
  if (in_doubt == MOST_DOUBTS) {
    report(first, second, address, region);
    return;
  }
  doubts[in_doubt].address = address, doubts[in_doubt].bytes = bytes, doubts[in_doubt].region = region;
  doubts[in_doubt].first = *first, doubts[in_doubt].second = *second;
  for (u32 i = 0; i < bytes; i += 8) doubts[in_doubt].before[i / 8] = load(address + i, least(bytes - i, 8));
  ++in_doubt;
}

// access, bytes: the whole access; the record is the part of it in one word.
static void look(Cell* cell, Record record, u32 address, u32 access, u32 bytes, Region* region) {
  u32 merged = 0, warps = 0, blocks = 0, a_block = record.block, a_warp = record.warp;
  const u32 of_block = region->space == SHARED;   // each block has its own shared memory
  Record* hole = 0;
  u32* link = &cell->more;
  for (u32 i = 0;; ++i) {
    Record* r;
    if (i < 2) r = cell->at + i;
    else if (*link < extra_count && extras[*link].of == cell) r = &extras[*link].record;
    else { *link = 0; break; }
    u32 drop = of_block ? r->block != block : r->block < first_block;
    if (!drop) {
      u32 others = r->lanes;
      const u32 same_warp = r->block == record.block && r->warp == record.warp;
      if (same_warp) others &= ~record.lanes;
      const u32 in_order = !others || is_ordered(r, others);
      if (!in_order && is_conflict(r, &record)) {
        if (r->kind == WRITES && record.kind == WRITES) {
          doubt(r, &record, access, bytes, region);
        } else {
          report(r, &record, address, region);
        }
      }
      // What conflicts later with a record that this access follows and covers, conflicts with this one too.
      const u32 stronger = record.kind != READS || r->kind == READS;
      drop = in_order && stronger && !(r->bytes & ~record.bytes);
      if (!drop) {
        if (!merged && same_warp && r->kind == record.kind && r->barriers == record.barriers && r->epoch == record.epoch && r->bytes == record.bytes && r->site == record.site) {
          r->lanes |= record.lanes;
          merged = 1;
        } else if (r->kind == READS && (r->bytes & record.bytes) == record.bytes) {
          if (r->block != record.block) blocks += r->block != a_block, a_block = r->block;
          else if (r->warp != record.warp && r->barriers == record.barriers) warps += r->warp != a_warp, a_warp = r->warp;
        }
      }
    }
    if (i < 2) {
      if (drop) { r->block = 0; if (!hole) hole = r; }
    } else if (drop) {
      const u32 gone = *link;
      *link = extras[gone].next;
      extras[gone].next = free_extra;
      free_extra = gone;
    } else {
      link = &extras[*link].next;
    }
  }
  // Readers in two other warps or two other blocks are enough to find any later write.
  if (merged || (record.kind == READS && (warps >= 2 || blocks >= 2))) return;
  if (hole) { *hole = record; return; }
  u32 extra = free_extra;
  if (extra) free_extra = extras[extra].next;
  else if (extra_count < OVERFLOW) extra = extra_count++;
  else return;
  extras[extra] = (Extra){record, cell->more, cell};
  cell->more = extra;
}

void race(Region* region, u32 address, u32 bytes, u32 did, u32 site) {
  Record record = {block, lane_bit(thread), barriers[thread], epochs[thread], thread / WARP, (u16)site, (u8)did, 0};
  const u32 end = address + bytes;
  for (u32 at = address; at < end;) {
    const u32 word = at & ~3u, stop = least(end, word + 4);
    record.bytes = (u8)(((1u << (stop - at)) - 1) << (at - word));
    look(region->cells + (word / 4 - region->begin / 4), record, at, address, bytes, region);
    at = stop;
  }
}

// --- fences --------------------------------------------------------------------------------------------

static u32 new_release(void) {
  if (free_release) {
    const u32 number = free_release;
    free_release = releases[number - 1].next_free;
    return number;
  }
  if (release_count == MOST_RELEASES) __builtin_trap();
  return ++release_count;
}

void fence_of_thread(void) {
  if (!running) return;
  if (in_doubt) settle();
  drop_fence(thread);
  const u32 number = new_release();
  Release* r = releases + number - 1;
  r->is_published = 0;
  r->number = ++fence_count;
  r->block = block;
  r->barriers = barriers[thread];
  r->warp = thread / WARP;
  __builtin_memcpy(r->known, known[thread], sizeof r->known);
  r->known[thread % WARP] = epochs[thread];
  r->acquired_count = acquired_count[thread];
  __builtin_memcpy(r->acquired, acquired[thread], sizeof r->acquired);
  fences[thread] = number;
}

static u32 location_of(u32 address) {
  u32* bucket = buckets + (address / 4 * 2654435761u >> 16);
  for (u32 i = *bucket; i; i = locations[i - 1].next) {
    if (locations[i - 1].address == address) return i;
  }
  if (location_count == MOST_LOCATIONS) __builtin_trap();
  const u32 number = ++location_count;
  locations[number - 1] = (Location){address, *bucket, 0, 0, 0};
  *bucket = number;
  return number;
}

static void add_release(Location* location, u32 release) {
  releases[release - 1].is_published = 1;
  for (u32 i = location->count; i-- > 0;) {
    if (location->releases[i] == release) return;
    if (location->count - i > 64) break;
  }
  if (location->count == location->room) {
    u32* more = take((location->room * 2 + 4) * sizeof(u32));
    __builtin_memcpy(more, location->releases, location->count * sizeof(u32));
    location->releases = more;
    location->room = location->room * 2 + 4;
  }
  location->releases[location->count++] = release;
}

static void acquire(u32 t, Acquired from) {
  for (u32 i = 0; i < acquired_count[t]; ++i) {
    if (acquired[t][i].location != from.location) continue;
    acquired[t][i].count = most(acquired[t][i].count, from.count);
    return;
  }
  const u32 at = acquired_count[t] < MOST_ACQUIRED ? acquired_count[t]++ : from.location % MOST_ACQUIRED;
  acquired[t][at] = from;
}

void synchronise_through(u32 address) {
  const int has_fence = fences[thread] || passed[thread];
  if (!has_fence && !location_count) return;
  const u32 number = location_of(address);
  Location* location = locations + number - 1;
  if (fences[thread]) add_release(location, fences[thread]);
  if (passed[thread]) {
    const Passed* set = passed_sets + passed[thread] - 1;
    for (u32 i = 0; i < set->count; ++i) add_release(location, set->of[i]);
  }
  if (location->count) acquire(thread, (Acquired){number, location->count});
}

// Fences of several threads before a barrier are released by any thread's atomic after it.
static void pass_fences(u32 first, u32 count) {
  u32 by_warp[MOST_WARPS] = {0}, any = 0;
  for (u32 t = first; t < first + count; ++t) {
    if (!fences[t] || releases[fences[t] - 1].barriers != barriers[t]) continue;
    const Release* r = releases + fences[t] - 1;
    any = 1;
    u32* warp = by_warp + t / WARP;
    if (!*warp) {
      *warp = new_release();
      releases[*warp - 1] = *r;
      releases[*warp - 1].is_published = 1;
      continue;
    }
    Release* of_warp = releases + *warp - 1;
    for (u32 lane = 0; lane < WARP; ++lane) {
      if (of_warp->known[lane] < r->known[lane]) of_warp->known[lane] = r->known[lane];
    }
    for (u32 i = 0; i < r->acquired_count && of_warp->acquired_count < MOST_ACQUIRED; ++i) {
      of_warp->acquired[of_warp->acquired_count++] = r->acquired[i];
    }
  }
  if (!any || passed_count == MOST_PASSED) return;
  Passed* set = passed_sets + passed_count++;
  set->count = 0;
  for (u32 w = 0; w < MOST_WARPS; ++w) if (by_warp[w]) set->of[set->count++] = by_warp[w];
  for (u32 t = first; t < first + count; ++t) {
    if (threads[t].state != FINISHED) passed[t] = passed_count;
  }
}

// After a __syncwarp, its lanes' earlier accesses are ordered before the later ones of all of them.
void warp_synchronised(u32 first, u32 members) {
  u32 all[WARP] = {0};
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 lane = (u32)__builtin_ctz(rest), t = first + lane;
    for (u32 i = 0; i < WARP; ++i) if (all[i] < known[t][i]) all[i] = known[t][i];
    if (all[lane] < epochs[t]) all[lane] = epochs[t];
  }
  Acquired together[MOST_ACQUIRED];
  u32 count = 0;
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 t = first + (u32)__builtin_ctz(rest);
    for (u32 i = 0; i < acquired_count[t] && count < MOST_ACQUIRED; ++i) together[count++] = acquired[t][i];
  }
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 t = first + (u32)__builtin_ctz(rest);
    __builtin_memcpy(known[t], all, sizeof all);
    ++epochs[t];
    for (u32 i = 0; i < count; ++i) acquire(t, together[i]);
  }
  pass_fences(first, WARP);
}

void barrier_passed(void) {
  Acquired together[MOST_ACQUIRED];
  u32 count = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    for (u32 i = 0; i < acquired_count[t] && count < MOST_ACQUIRED; ++i) {
      u32 there = 0;
      for (u32 k = 0; k < count; ++k) if (together[k].location == acquired[t][i].location) there = 1, together[k].count = most(together[k].count, acquired[t][i].count);
      if (!there) together[count++] = acquired[t][i];
    }
  }
  if (fence_count) pass_fences(0, block_threads);
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    ++barriers[t];
    for (u32 i = 0; i < count; ++i) acquire(t, together[i]);
  }
}
