// Races: two accesses to the same bytes by different threads, at least one of them a write, without an
// order between them.
//
// Accesses are ordered only by: __syncthreads within a block, __syncwarp within its lanes (not by shuffles
// and votes: CUDA promises no memory order for them), a message through one location (a fence before an atomic
// in one thread; an atomic on the same location and then a fence or a barrier in the other), and the end of a
// kernel. It does not matter whether a race changes the result, nor in which order threads happen to run.
// Source: CUDA C++ Programming Guide, "Memory Fence Functions" and "Synchronization Functions"; PTX ISA,
// "Memory Consistency Model" (release and acquire patterns).
#include "checker.h"

enum { OVERFLOW = 1 << 20 };

// What is ordered before a thread's next access: all accesses of its block before its last barrier, and
// each lane's accesses in its warp up to an epoch. A fence begins a new epoch of its own thread.
static u32 barriers[MOST_THREADS];
static u32 epochs[MOST_THREADS], known[MOST_THREADS][WARP];

// What a thread has learnt through atomics: for each location, how many of the messages published there. It
// learns at its next fence or barrier; until then, what its atomics have read is `unfenced`. Both are
// numbers of maps that share their parts and never change: a barrier gives one map to a whole block.
// (Okasaki and Gill, "Fast Mergeable Integer Maps", 1998.)
typedef struct { u32 key, bit, left, right; } Node;   // bit 0: a leaf, and left is its count
static u32 learnt[MOST_THREADS], unfenced[MOST_THREADS];

// What a fence releases through later atomics: the accesses ordered before it, and what its thread had learnt.
// clock: number of a copy of its thread's clock (agents.c), 0 for an empty one.
typedef struct { u32 serial, block, barriers, warp, is_published, next_free, learnt, clock, known[WARP]; } Release;
// block: of what is published for one block only, else 0. learnt: what all messages published here have in common
// with their threads' maps.
typedef struct { u32 address, block, next, count, learnt; } Location;
// Message number `index` of a location, and the thread and epoch of the atomic that published it.
typedef struct { u32 release, location, index, thread, epoch, next_of_block, next_alike; } Message;
typedef struct { u32 count, of[MOST_WARPS]; } Passed;

// Arrays that grow; number 0 is none. Each launch begins with empty ones.
typedef struct { void* at; u32 count, room, bytes; } Array;
static Array nodes = {0, 0, 0, sizeof(Node)}, releases = {0, 0, 0, sizeof(Release)}, locations = {0, 0, 0, sizeof(Location)};
static Array messages = {0, 0, 0, sizeof(Message)}, passed_sets = {0, 0, 0, sizeof(Passed)};
// Equal clocks are kept once. Where a launch has more than MOST_CLOCKS different ones, messages are without them.
typedef struct { u32 next, of[CLOCK]; } ClockCopy;
enum { MOST_CLOCKS = 1 << 13 };
static ClockCopy* clock_copies[MOST_CLOCKS];
static u32 clock_count;
#define AT(Type, array, number) ((Type*)(array).at + (number))

static u32 added(Array* array) {
  if (++array->count >= array->room) {
    const u32 room = most(1024, array->room * 2);
    void* more = take(room * array->bytes);
    if (array->at) __builtin_memcpy(more, array->at, array->room * array->bytes);
    array->at = more;
    array->room = room;
  }
  return array->count;
}

enum { BUCKETS = 1 << 16 };
static u32 by_address[BUCKETS], by_block[BUCKETS], alike[BUCKETS], clocks_alike[BUCKETS];
static u32 hashed(u32 key) { return key * 2654435761u >> 16; }
static u32 free_release, fence_count;
// Each for fences of the device and, at 1, of the block only.
static u32 fences[2][MOST_THREADS], passed[2][MOST_THREADS];   // numbers of releases and of sets, 0 for none
static u32 passed_by_warp[2][MOST_WARPS], passed_by_block[2];  // the newest fence that a barrier has passed on
// A word's records after the first two. A link left by an earlier launch is out of range or another word's.
typedef struct { Record record; u32 next; const Cell* of; } Extra;
static Extra* extras;
static u32 extra_count = 1, free_extra;

// Parts of the current access that overlap another thread's write; a copy has one part for each word.
enum { MOST_DOUBTS = 1024 };
u32 in_doubt;
static struct { u32 address, bytes; u64 before[2]; Region* region; Record first, second; } doubts[MOST_DOUBTS];

void begin_race_launch(void) {
  if (!extras) extras = take(OVERFLOW * sizeof(Extra));
  if (locations.count) {
    __builtin_memset(by_address, 0, sizeof by_address);
    __builtin_memset(by_block, 0, sizeof by_block);
    __builtin_memset(alike, 0, sizeof alike);
    __builtin_memset(clocks_alike, 0, sizeof clocks_alike);
  }
  nodes.count = releases.count = locations.count = messages.count = passed_sets.count = 0;
  free_release = clock_count = in_doubt = 0;
  __builtin_memset(fences, 0, sizeof fences);
  extra_count = 1;
  free_extra = 0;
}

// --- maps ----------------------------------------------------------------------------------------------

static u32 made_node(u32 key, u32 bit, u32 left, u32 right) {
  const u32 number = added(&nodes);
  *AT(Node, nodes, number) = (Node){key, bit, left, right};
  return number;
}

static u32 is_under(u32 key, const Node* branch) { return !((key ^ branch->key) & ~(2 * branch->bit - 1)); }

static u32 joined(u32 a, u32 b) {
  if (!a || a == b) return b;
  if (!b) return a;
  const Node x = *AT(Node, nodes, a), y = *AT(Node, nodes, b);
  if (x.bit < y.bit) return joined(b, a);
  if (x.key == y.key && x.bit == y.bit) {
    if (!x.bit) return x.left >= y.left ? a : b;
    const u32 left = joined(x.left, y.left), right = joined(x.right, y.right);
    if (left == x.left && right == x.right) return a;
    return left == y.left && right == y.right ? b : made_node(x.key, x.bit, left, right);
  }
  if (x.bit > y.bit && is_under(y.key, &x)) {
    const u32 left = y.key & x.bit ? x.left : joined(x.left, b), right = y.key & x.bit ? joined(x.right, b) : x.right;
    return left == x.left && right == x.right ? a : made_node(x.key, x.bit, left, right);
  }
  const u32 bit = 1u << (31 - __builtin_clz(x.key ^ y.key)), prefix = x.key & ~(2 * bit - 1);
  return y.key & bit ? made_node(prefix, bit, a, b) : made_node(prefix, bit, b, a);
}

static u32 count_of(u32 map, u32 key) {
  while (map) {
    const Node* n = AT(Node, nodes, map);
    if (!n->bit) return n->key == key ? n->left : 0;
    if (!is_under(key, n)) return 0;
    map = key & n->bit ? n->right : n->left;
  }
  return 0;
}

// --- order ---------------------------------------------------------------------------------------------

// Free a fence that no atomic followed, as no thread can learn of it: most threads of a block have one.
static void drop_release(u32 number) {
  Release* r = AT(Release, releases, number);
  if (!number || r->is_published) return;
  r->next_free = free_release;
  free_release = number;
}

void forget_thread(u32 t) {
  for (u32 s = 0; s < 2; ++s) {
    drop_release(fences[s][t]);
    fences[s][t] = passed[s][t] = passed_by_warp[s][t / WARP] = passed_by_block[s] = 0;
  }
  learnt[t] = unfenced[t] = barriers[t] = 0;
  epochs[t] = 1;
  __builtin_memset(known[t], 0, sizeof known[t]);
}

u32 unknown_lanes(const u32* epochs_known, const Record* record, u32 lanes) {
  u32 left = lanes;
  for (u32 rest = lanes; rest; rest &= rest - 1) {
    if (epochs_known[__builtin_ctz(rest)] >= record->epoch) left &= ~(rest & -rest);
  }
  return left;
}

static u32 is_atomic(const Record* r) { return (r->kind & DID) == UPDATES || r->kind & RELAXED; }
static u32 only_reads(const Record* r) { return (r->kind & DID) == READS || r->kind & LOADS; }

// Whether two atomics are none to each other: of different blocks, and one for its own block only.
static u32 is_too_narrow(const Record* a, const Record* b) { return (a->kind | b->kind) & OF_BLOCK && a->block != b->block; }

// Those of the lanes of which no message in the map says that their access was done: each lane may have published its own.
// Who has read an atomic's value knows of that atomic, too.
static u32 untold_lanes(u32 map, const Record* record, u32 lanes, u32 address) {
  for (u32 i = by_block[hashed(record->block)]; i && lanes;) {
    const Message* m = AT(Message, messages, i);
    const Release* r = AT(Release, releases, m->release);
    i = m->next_of_block;
    if (r->block != record->block || count_of(map, m->location) <= m->index) continue;
    if (r->clock) lanes = lanes_beyond_clock(clock_copies[r->clock]->of, record, lanes);
    if (record->kind & OF_AGENT) continue;
    if (record->barriers < r->barriers) return 0;
    if (r->warp == record->warp) lanes = unknown_lanes(r->known, record, lanes);
    const u32 is_its_own = is_atomic(record) && m->thread / WARP == record->warp && record->epoch <= m->epoch;
    if (is_its_own && AT(Location, locations, m->location)->address == address) lanes &= ~lane_bit(m->thread);
  }
  return lanes;
}

// agents: has_agents, where it is not known to be 0.
static inline __attribute__((always_inline)) u32 is_ordered(const Record* record, u32 lanes, u32 address, u32 agents) {
  const u32 is_of_agent = agents && record->kind & OF_AGENT;
  if (record->block == block) {
    if (!is_of_agent && record->barriers < barriers[thread]) return 1;
    if (!is_of_agent && record->warp == thread / WARP) lanes = unknown_lanes(known[thread], record, lanes);
    if (agents) lanes = lanes_beyond_clock(thread_clock(thread), record, lanes);
  }
  return !lanes || (learnt[thread] && !untold_lanes(learnt[thread], record, lanes, address));
}

// Whether b, the later one, conflicts with a. Atomics conflict with other accesses only. A relaxed volatile
// access is one, but for two writes, and for a write after a read that was no polling.
static u32 is_conflict(const Record* a, const Record* b) {
  if (!(a->bytes & b->bytes)) return 0;
  const u32 x = a->kind & DID, y = b->kind & DID;
  if (only_reads(a) && only_reads(b)) return 0;
  return !is_atomic(a) || !is_atomic(b) || is_too_narrow(a, b) || (y == WRITES && (x == WRITES || (a->kind == (READS | RELAXED) && !polls[a->site])));
}

// Whether all that conflicts with b conflicts with a, too.
static u32 is_stronger(u32 a, u32 b) {
  if (a == WRITES) return 1;
  if (b & OF_BLOCK) return 0;
  if (a == b || (b == (READS | RELAXED) && (a & DID) != UPDATES)) return 1;
  return a == (WRITES | RELAXED) && b == UPDATES;
}

static Witness witness_of(const Record* r) {
  const u32 did = r->kind & DID, b = r->block - first_block;
  if (!(r->kind & OF_AGENT)) return (Witness){r->site, did, b, r->warp * WARP + (u32)__builtin_ctz(r->lanes)};
  const u32 is_product = r->block == block && agent_at(r->warp * WARP + (u32)__builtin_ctz(r->lanes))->of == WGMMA;
  return (Witness){r->site, is_product ? WGMMA_READS : did == READS ? COPY_READS : COPY_WRITES, b, r->barriers};
}

// more: whether the first one is an agent | same block << 1, what to wait for (see findings.py), the agent's epoch
// from 0, and a wait of the other party for an earlier phase than it should have been (earlier_wait).
static void report_agent(const Record* first, const Record* second, u32 address, Region* region) {
  const Record* r = first->kind & OF_AGENT ? first : second;
  const Witness a = witness_of(first), b = witness_of(second);
  const u32 same_block = first->block == second->block, of_first = (first->kind & OF_AGENT) != 0;
  u32 wait_for = 0, hint = 0;
  if (same_block) {
    const Agent* agent = agent_at(r->warp * WARP + (u32)__builtin_ctz(r->lanes));
    wait_for = agent->of;
    if (agent->of == BARRIER_COPIES) {
      const Barrier* barrier = barrier_number(agent->number);
      wait_for = barrier->address;
      // A slot's reader must have waited for the phase before the one of the copy that overwrites it.
      hint = of_first ? earlier_wait(b.thread, barrier, r->epoch - 1) : earlier_wait(a.thread, barrier, r->epoch - 2);
    }
  }
  find(ASYNC_RACE, address, region_number(region), a, &b, of_first | same_block << 1, wait_for, r->epoch - 1, hint);
}

static void report(const Record* first, const Record* second, u32 address, Region* region) {
  u32 lanes = first->lanes;
  if ((first->kind | second->kind) & OF_AGENT) {
    report_agent(first, second, address, region);
    return;
  }
  if (first->block == second->block && first->warp == second->warp) lanes &= ~second->lanes;
  const Witness a = {first->site, first->kind & DID, first->block - first_block, first->warp * WARP + (u32)__builtin_ctz(lanes)};
  const Witness b = {second->site, second->kind & DID, second->block - first_block, second->warp * WARP + (u32)__builtin_ctz(second->lanes)};
  const u32 lacks_fence = unfenced[thread] && !untold_lanes(unfenced[thread], first, lanes, address);
  find(RACE, address, region_number(region), a, &b, first->block == second->block, first->warp == second->warp, lacks_fence, is_atomic(first) && is_atomic(second) && is_too_narrow(first, second));
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
  if (in_doubt == MOST_DOUBTS || bytes > sizeof doubts->before) {
    report(first, second, address, region);
    return;
  }
  doubts[in_doubt].address = address, doubts[in_doubt].bytes = bytes, doubts[in_doubt].region = region;
  doubts[in_doubt].first = *first, doubts[in_doubt].second = *second;
  for (u32 i = 0; i < bytes; i += 8) doubts[in_doubt].before[i / 8] = load(address + i, least(bytes - i, 8));
  ++in_doubt;
}

// access, bytes: the whole access; the record is the part of it in one word. agents: whether there are any in this block.
static inline __attribute__((always_inline)) void look(Cell* cell, Record record, u32 address, u32 access, u32 bytes, Region* region, u32 agents) {
  const u32 of_agent = agents && record.kind & OF_AGENT;
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
      const u32 same_warp = r->block == record.block && r->warp == record.warp && !(agents && (r->kind ^ record.kind) & OF_AGENT);
      if (same_warp && !of_agent) others &= ~record.lanes;
      const u32 in_order = !others || is_ordered(r, others, address, agents);
      if (!in_order && is_conflict(r, &record)) {
        if ((r->kind & DID) == WRITES && (record.kind & DID) == WRITES && !(agents && (r->kind | record.kind) & OF_AGENT)) {
          doubt(r, &record, access, bytes, region);
        } else {
          report(r, &record, address, region);
        }
      }
      // What conflicts later with a record that this access follows and covers, conflicts with this one too.
      drop = in_order && is_stronger(agents ? record.kind & ~OF_AGENT : record.kind, agents ? r->kind & ~OF_AGENT : r->kind) && !(r->bytes & ~record.bytes);
      if (!drop) {
        if (!merged && same_warp && r->kind == record.kind && r->barriers == record.barriers && r->epoch == record.epoch && r->bytes == record.bytes && r->site == record.site) {
          r->lanes |= record.lanes;
          merged = 1;
        } else if ((agents ? r->kind & ~OF_AGENT : r->kind) == READS && (r->bytes & record.bytes) == record.bytes) {
          if (r->block != record.block) blocks += r->block != a_block, a_block = r->block;
          else if (!agents && r->warp != record.warp && r->barriers == record.barriers) warps += r->warp != a_warp, a_warp = r->warp;
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
  // Readers in two other blocks are enough to find any later write; in two other warps too, unless mbarriers order
  // single threads.
  if (merged || ((agents ? record.kind & ~OF_AGENT : record.kind) == READS && (warps >= 2 || blocks >= 2))) return;
  if (hole) { *hole = record; return; }
  u32 extra = free_extra;
  if (extra) free_extra = extras[extra].next;
  else if (extra_count < OVERFLOW) extra = extra_count++;
  else return;
  extras[extra] = (Extra){record, cell->more, cell};
  cell->more = extra;
}

Record record_of_thread(u32 did, u32 site) {
  return (Record){block, lane_bit(thread), barriers[thread], epochs[thread], thread / WARP, (u16)site, (u8)did, 0};
}
// Whether the running thread's next access is ordered behind an access of one thread.
u32 follows(const Record* record) {
  const u32 is_own = record->warp == thread / WARP && record->lanes == lane_bit(thread);
  return is_own || is_ordered(record, record->lanes, 0, has_agents);
}

// What is ordered before the thread's next access, without its own accesses.
void knowledge_of(u32 t, u32* clock) {
  join_clock(clock, thread_clock(t));
  clock[SYNCHRONIZED] = most(clock[SYNCHRONIZED], barriers[t]);
  u32* warp = clock + t / WARP * WARP;
  for (u32 lane = 0; lane < WARP; ++lane) warp[lane] = most(warp[lane], known[t][lane]);
}
// What a thread passes on: what it knows, and its own accesses until now. Later ones have another epoch.
void release_clock(u32 t, u32* clock) {
  knowledge_of(t, clock);
  clock[t] = most(clock[t], epochs[t]++);
}

static inline __attribute__((always_inline)) void race_of(Record record, Region* region, u32 address, u32 bytes, u32 agents) {
  const u32 end = address + bytes;
  for (u32 at = address; at < end;) {
    const u32 word = at & ~3u, stop = least(end, word + 4);
    record.bytes = (u8)(((1u << (stop - at)) - 1) << (at - word));
    look(region->cells + (word / 4 - region->begin / 4), record, at, address, bytes, region, agents);
    at = stop;
  }
}

static __attribute__((noinline)) void race_with_agents(Region* region, u32 address, u32 bytes, u32 did, u32 site) {
  race_of(record_of_thread(did, site), region, address, bytes, 1);
}
void race(Region* region, u32 address, u32 bytes, u32 did, u32 site) {
  if (has_agents) {
    race_with_agents(region, address, bytes, did, site);
    return;
  }
  const Record record = {block, lane_bit(thread), barriers[thread], epochs[thread], thread / WARP, (u16)site, (u8)did, 0};
  race_of(record, region, address, bytes, 0);
}
void race_of_agent(Region* region, u32 address, u32 bytes, u32 did, u32 site, u32 agent, u32 epoch) {
  const Record record = {block, lane_bit(agent), thread, epoch, agent / WARP, (u16)site, (u8)(did | OF_AGENT), 0};
  race_of(record, region, address, bytes, 1);
}


// Sites whose plain reads give compare-and-swap its expected value: it notices when that is no longer true,
// so that these reads are no race with atomics. (CUDA C++ Programming Guide, "Atomic Functions".) This holds where
// such a swap was made, not for what else the line reads, and not for a swap that would change nothing.
static u8 feeds_swap[MOST_SITES], is_swapped[1 << 16];
#define SWAPPED(address) is_swapped[(address) / 8 % sizeof is_swapped]
HOST("feeds_swap") u32 site_feeds_swap(u32 site, u32 address) {
  return site < MOST_SITES && feeds_swap[site] && SWAPPED(address);
}

void swaps(Region* region, u32 address) {
  Cell* cell = region->cells + (address / 4 - region->begin / 4);
  for (u32 i = 0, link = cell->more;; ++i) {
    const Record* r = cell->at + i;
    if (i >= 2) {
      if (link >= extra_count || extras[link].of != cell || !link) return;
      r = &extras[link].record;
      link = extras[link].next;
    }
    const u32 is_mine = r->block == block && r->warp == thread / WARP && r->lanes & lane_bit(thread);
    if (is_mine && r->kind == READS && r->barriers == barriers[thread]) feeds_swap[r->site] = SWAPPED(address) = 1;
  }
}

// Who wrote here, another site than `but` if there is one. Its site is 0 if nobody is known.
Witness writer_of(const Region* region, u32 address, u32 but) {
  const Cell* cell = region->cells + (address / 4 - region->begin / 4);
  Witness found = {0, WRITES, 0, 0};
  for (u32 i = 0, link = cell->more;; ++i) {
    const Record* r = cell->at + i;
    if (i >= 2) {
      if (link >= extra_count || extras[link].of != cell || !link) return found;
      r = &extras[link].record;
      link = extras[link].next;
    }
    if (r->block >= first_block && !only_reads(r) && r->site != but && r->bytes >> address % 4 & 1) found = witness_of(r);
  }
}

// --- fences --------------------------------------------------------------------------------------------

static u32 new_release(void) {
  const u32 number = free_release ? free_release : added(&releases);
  if (number == free_release) free_release = AT(Release, releases, number)->next_free;
  return number;
}

// The number of a copy of a thread's clock.
static u32 clock_copy(u32 t) {
  const u32* clock = thread_clock(t);
  u32 mixed = 0;
  for (u32 i = 0; i < CLOCK; ++i) mixed = mixed * 31 + clock[i];
  if (!mixed) return 0;
  u32* bucket = clocks_alike + hashed(mixed);
  for (u32 i = *bucket; i; i = clock_copies[i]->next) {
    u32 k = 0;
    while (k < CLOCK && clock_copies[i]->of[k] == clock[k]) ++k;
    if (k == CLOCK) return i;
  }
  if (clock_count + 1 == MOST_CLOCKS) return 0;
  ClockCopy** copy = clock_copies + ++clock_count;
  if (!*copy) *copy = take(sizeof **copy);
  (*copy)->next = *bucket;
  __builtin_memcpy((*copy)->of, clock, sizeof (*copy)->of);
  return *bucket = clock_count;
}

static u32 release_of_thread(void) {
  const u32 number = new_release();
  Release* r = AT(Release, releases, number);
  *r = (Release){++fence_count, block, barriers[thread], thread / WARP, 0, 0, learnt[thread], has_agents ? clock_copy(thread) : 0, {0}};
  __builtin_memcpy(r->known, known[thread], sizeof r->known);
  r->known[thread % WARP] = epochs[thread]++;
  known[thread][thread % WARP] = r->known[thread % WARP];
  return number;
}

void learn(u32 t) {
  learnt[t] = joined(learnt[t], unfenced[t]);
  unfenced[t] = 0;
}

// Messages that a barrier passes on: map is what all who have arrived have learnt.
u32 has_messages(u32 t) { return learnt[t] || unfenced[t]; }
void tell_messages(u32 t, u32* map) { *map = joined(*map, learnt[t]); }
void learn_messages(u32 t, u32 map) { learnt[t] = joined(learnt[t], map); }
void join_messages(u32* to, u32 map) { *to = joined(*to, map); }

// A fence of the block releases to the threads of its block only. What it acquires is not told apart.
void fence_of_thread(u32 is_of_block) {
  if (!running) return;
  if (in_doubt) settle();
  learn(thread);
  drop_release(fences[is_of_block][thread]);
  fences[is_of_block][thread] = release_of_thread();
}

u32 has_fence(void) { return fences[0][thread] || passed[0][thread] || fences[1][thread] || passed[1][thread]; }

static u32 location_of(u32 address, u32 of_block, u32 add) {
  u32* bucket = by_address + hashed(address / 4 + of_block);
  for (u32 i = *bucket; i; i = AT(Location, locations, i)->next) {
    if (AT(Location, locations, i)->address == address && AT(Location, locations, i)->block == of_block) return i;
  }
  if (!add) return 0;
  const u32 number = added(&locations);
  *AT(Location, locations, number) = (Location){address, of_block, *bucket, 0, 0};
  return *bucket = number;
}

static void publish(u32 location, u32 release) {
  Release* r = AT(Release, releases, release);
  u32* same = alike + hashed(release * 31 + location);
  for (u32 i = *same; i; i = AT(Message, messages, i)->next_alike) {
    Message* m = AT(Message, messages, i);
    if (m->release != release || m->location != location) continue;
    if (m->thread == thread) m->epoch = epochs[thread];
    return;
  }
  r->is_published = 1;
  Location* at = AT(Location, locations, location);
  at->learnt = joined(at->learnt, r->learnt);
  u32* of_block = by_block + hashed(r->block);
  const u32 number = added(&messages);
  *AT(Message, messages, number) = (Message){release, location, at->count++, thread, epochs[thread], *of_block, *same};
  *of_block = *same = number;
}

// What is published for the device, or (at 1) for the block only. acquires, releases: whether the atomic does itself
// what a fence behind or before it does.
static void synchronize_in(u32 scope, u32 address, u32 wrote, u32 acquires, u32 releases) {
  const u32 releases_now = wrote && (fences[scope][thread] || passed[scope][thread] || releases);
  const u32 location = location_of(address, scope ? block : 0, releases_now);
  if (!location) return;
  const Location* at = AT(Location, locations, location);
  if (at->count && count_of(learnt[thread], location) < at->count) {
    if (count_of(unfenced[thread], location) < at->count) {
      const u32 told = joined(made_node(location, 0, at->count, 0), at->learnt);
      unfenced[thread] = joined(unfenced[thread], told);
    }
    if (acquires) learnt[thread] = joined(joined(learnt[thread], at->learnt), made_node(location, 0, at->count, 0));
  }
  if (!releases_now) return;
  if (fences[scope][thread]) publish(location, fences[scope][thread]);
  if (passed[scope][thread]) {
    const Passed set = *AT(Passed, passed_sets, passed[scope][thread]);
    for (u32 i = 0; i < set.count; ++i) publish(location, set.of[i]);
  }
  if (releases) publish(location, release_of_thread());
}

// An atomic access.
void synchronize_through(u32 address, u32 wrote, u32 order) {
  for (u32 scope = 0; scope < 2; ++scope) {
    synchronize_in(scope, address, wrote, order & ACQUIRE, order & RELEASE && !(order & BLOCK_SCOPE) == !scope);
  }
}

// Fences of several threads before a barrier are released by any thread's atomic after it. newest: the newest
// fence that was passed on so already.
static void pass_fences(u32 scope, u32 first, u32 count, u32* newest) {
  u32 by_warp[MOST_WARPS] = {0}, any = 0, last = *newest;
  for (u32 t = first; t < first + count; ++t) {
    if (fences[scope][t]) last = most(last, AT(Release, releases, fences[scope][t])->serial);
  }
  if (last == *newest) return;
  *newest = last;
  for (u32 t = first; t < first + count; ++t) {
    if (!fences[scope][t] || AT(Release, releases, fences[scope][t])->barriers != barriers[t]) continue;
    any = 1;
    u32* warp = by_warp + t / WARP;
    if (!*warp) {
      *warp = new_release();
      *AT(Release, releases, *warp) = *AT(Release, releases, fences[scope][t]);
      AT(Release, releases, *warp)->is_published = 1;
      continue;
    }
    const Release* r = AT(Release, releases, fences[scope][t]);
    Release* of_warp = AT(Release, releases, *warp);
    for (u32 lane = 0; lane < WARP; ++lane) of_warp->known[lane] = most(of_warp->known[lane], r->known[lane]);
    of_warp->learnt = joined(of_warp->learnt, r->learnt);
  }
  if (!any) return;
  const u32 number = added(&passed_sets);
  Passed* set = AT(Passed, passed_sets, number);
  set->count = 0;
  for (u32 w = 0; w < MOST_WARPS; ++w) if (by_warp[w]) set->of[set->count++] = by_warp[w];
  for (u32 t = first; t < first + count; ++t) {
    if (threads[t].state != FINISHED) passed[scope][t] = number;
  }
}

// After a __syncwarp, its lanes' earlier accesses are ordered before the later ones of all of them.
void warp_synchronized(u32 first, u32 members) {
  u32 all[WARP] = {0}, together = 0;
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 lane = (u32)__builtin_ctz(rest), t = first + lane;
    for (u32 i = 0; i < WARP; ++i) all[i] = most(all[i], known[t][i]);
    all[lane] = most(all[lane], epochs[t]);
    learn(t);
    together = joined(together, learnt[t]);
  }
  for (u32 rest = members; rest; rest &= rest - 1) {
    const u32 t = first + (u32)__builtin_ctz(rest);
    __builtin_memcpy(known[t], all, sizeof all);
    ++epochs[t];
    learnt[t] = together;
  }
  if (has_agents) join_clocks(first, members);
  if (!fence_count) return;
  for (u32 s = 0; s < 2; ++s) pass_fences(s, first, WARP, passed_by_warp[s] + first / WARP);
}

void barrier_passed(void) {
  u32 together = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    if (unfenced[t]) learn(t);
    together = joined(together, learnt[t]);
  }
  if (has_agents) join_all_clocks();
  for (u32 s = 0; fence_count && s < 2; ++s) pass_fences(s, 0, block_threads, passed_by_block + s);
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == FINISHED) continue;
    ++barriers[t];
    learnt[t] = together;
  }
}
