// What runs beside the threads of a block: the copies that complete on an mbarrier, a thread's groups of bulk
// copies, the matrix products of a warp. Each is an agent: its accesses are records like a thread's, with an epoch
// of the agent's own, which a thread knows only after it has waited for it.
//
// Clocks say what a thread knows: of each thread and agent the newest epoch that is ordered before its next
// access. A clock is passed on by arriving at an mbarrier or a named barrier, and by __syncwarp() and
// __syncthreads(). An agent starts with what the thread knows that starts it.
// Source: PTX ISA, "Asynchronous Operations", "Async proxy" and "Memory Consistency Model: Proxies".
#include "checker.h"

u32 has_agents;
static u32 agent_count;
static Agent agents[MOST_AGENTS];
static u32 (*clocks)[CLOCK];

u32* thread_clock(u32 t) { return clocks[t]; }
const Agent* agent_at(u32 number) { return agents + number; }

void join_clock(u32* to, const u32* from) {
  for (u32 i = 0; i < block_threads; ++i) to[i] = most(to[i], from[i]);
  for (u32 i = FIRST_AGENT; i < FIRST_AGENT + agent_count; ++i) to[i] = most(to[i], from[i]);
  to[SYNCHRONIZED] = most(to[SYNCHRONIZED], from[SYNCHRONIZED]);
}

static void join_some(u32 first, u32 count, u32 members) {
  static u32 all[CLOCK];
  __builtin_memset(all, 0, sizeof all);
  for (u32 t = first; t < first + count; ++t) {
    if (threads[t].state != FINISHED && members & lane_bit(t)) join_clock(all, clocks[t]);
  }
  for (u32 t = first; t < first + count; ++t) {
    if (threads[t].state != FINISHED && members & lane_bit(t)) join_clock(clocks[t], all);
  }
}
void join_clocks(u32 first, u32 members) { join_some(first, least(WARP, block_threads - first), members); }
void join_all_clocks(void) { join_some(0, block_threads, ~0u); }

u32 lanes_beyond_clock(const u32* clock, const Record* record, u32 lanes) {
  const u32 of_agent = record->kind & OF_AGENT;
  if (!of_agent && record->barriers < clock[SYNCHRONIZED]) return 0;
  return unknown_lanes(clock + (of_agent ? FIRST_AGENT : 0) + record->warp * WARP, record, lanes);
}

// what: of enum bad_async.
void bad_async(u32 what, u32 address, u32 value, u32 site) {
  find(BAD_ASYNC, address, region_number(region_at(address)), me(site, COPIES), 0, what, value, 0, 0);
  abandon();
}

u32 new_agent(u32 of, u32 number, u32 site) {
  if (agent_count == MOST_AGENTS) bad_async(TOO_MANY_AGENTS, 0, MOST_AGENTS, site);
  agents[agent_count] = (Agent){of, number};
  return agent_count++;
}

// --- ordinary stores that an agent reads -----------------------------------------------------------------
//
// An agent sees a thread's ordinary store only behind a fence.proxy.async: of the thread that has stored, or of one
// that is ordered behind it.

typedef struct Store { u32 number, thread, epoch, barriers, site; } Store;
enum { FENCES = 128 };
typedef struct { u32 number, epoch, barriers; } Fence;   // number: of the last store before it
typedef struct { u32 count; Fence last[FENCES]; } Fences;

static u32 store_count, first_store;
static Fences* fences;
static u32 (*at_fence)[CLOCK];   // what each thread knew at its last fence

void note_store(Region* r, u32 address, u32 bytes, u32 site) {
  if (!r->stores) r->stores = take(((r->end - r->begin) / 4 + 2) * sizeof(Store));
  const Record mine = record_of_thread(WRITES, 0);
  const Store it = {++store_count, thread, mine.epoch, mine.barriers, site};
  for (u32 w = (address - r->begin) / 4; w <= (address + bytes - 1 - r->begin) / 4; ++w) r->stores[w] = it;
}

static Record record_of(u32 t, u32 epoch, u32 barriers) {
  return (Record){.block = block, .lanes = lane_bit(t), .barriers = barriers, .epoch = epoch, .warp = t / WARP, .kind = WRITES};
}

// The first fence of thread t behind a store; null if there is none.
static const Fence* fence_behind(u32 t, u32 store) {
  const Fences* all = fences + t;
  const Fence* first = 0;
  for (u32 i = all->count; i-- && i + FENCES >= all->count && all->last[i % FENCES].number >= store;) first = all->last + i % FENCES;
  return first;
}

static u32 fences_store(u32 t, const Store* it) {
  const Fence* fence = fence_behind(t, it->number);
  if (!fence) return 0;
  const Record at = record_of(t, fence->epoch, fence->barriers), stored = record_of(it->thread, it->epoch, it->barriers);
  if (t != thread && !follows(&at)) return 0;
  return t == it->thread || !lanes_beyond_clock(at_fence[t], &stored, stored.lanes);
}

static u32 is_fenced(const Store* it) {
  if (fences_store(it->thread, it) || fences_store(thread, it)) return 1;
  for (u32 t = 0; t < block_threads; ++t) {
    if (fences[t].count && fences_store(t, it)) return 1;
  }
  return 0;
}

static void require_fence(Region* r, u32 address, u32 bytes, u32 site) {
  if (!r->stores) return;
  const Store* last = 0;
  for (u32 w = (address - r->begin) / 4; w <= (address + bytes - 1 - r->begin) / 4; ++w) {
    const Store* it = r->stores + w;
    if (it->number <= first_store) continue;
    if (last && last->thread == it->thread && last->epoch == it->epoch && last->number >= it->number) continue;
    if (!is_fenced(it)) {
      const Witness stored = {it->site, WRITES, block_in_launch, it->thread};
      find(NO_PROXY_FENCE, most(address, r->begin + 4 * w), region_number(r), me(site, COPIES), &stored, it->thread, 0, 0, 0);
      return;
    }
    last = it;
  }
}

PROGRAM("fence_proxy") void fence_proxy(u32 is_of_init) {
  begin_agents();
  if (!is_watched) return;
  if (in_doubt) settle();
  fence_barriers();
  if (is_of_init) return;
  const Record mine = record_of_thread(WRITES, 0);
  Fences* all = fences + thread;
  all->last[all->count++ % FENCES] = (Fence){store_count, mine.epoch, mine.barriers};
  knowledge_of(thread, at_fence[thread]);
}

// --- accesses of agents ----------------------------------------------------------------------------------

// address, bytes: multiples of 16. did: for messages.
static Region* region_of(u32 address, u32 bytes, u32 space, u32 site, u32 did) {
  last_site = site;
  Region* r = region_at(address);
  if (!r || !r->live || r->space != space || address < r->begin || address >= r->end || bytes > r->end - address) outside(address, bytes, site, did);
  return r;
}

void agent_reads(u32 address, u32 bytes, u32 space, u32 site, u32 agent, u32 epoch) {
  Region* r = region_of(address, bytes, space, site, READS);
  r->used |= 2;
  if (!is_watched) return;
  for (u32 i = 0; i < bytes; i += 16) {
    const u32 part = least(16, bytes - i);
    if (is_written(r, address + i, part)) continue;
    find(space == SHARED ? UNINITIALIZED_SHARED : UNINITIALIZED_GLOBAL, address + i, region_number(r), me(site, READS), 0, part, 0, 0, 0);
    break;
  }
  if (space == SHARED) require_fence(r, address, bytes, site), touch_barrier(address, bytes, COPY_READS, site);
  race_of_agent(r, address, bytes, READS, site, agent, epoch);
}

// Until an agent has written to shared memory, it holds NaN and counts as unwritten.
void agent_writes(u32 address, u32 bytes, u32 space, u32 site, u32 agent, u32 epoch) {
  Region* r = region_of(address, bytes, space, site, WRITES);
  r->used |= 1;
  if (space == SHARED) fill(address, 0xff, bytes);
  if (!is_watched) return;
  if (space == SHARED) touch_barrier(address, bytes, COPY_WRITES, site);
  race_of_agent(r, address, bytes, WRITES, site, agent, epoch);
  for (u32 i = address - r->begin; r->written && i < address - r->begin + bytes; ++i) r->written[i / 8] &= (u8)~(1u << (i % 8));
  if (r->stores) __builtin_memset(r->stores + (address - r->begin) / 4, 0, bytes / 4 * sizeof(Store));
}

// --- blocks ----------------------------------------------------------------------------------------------

// Whether any kernel of the program needs agents; others do without clocks.
static u32 is_asynchronous;
HOST("set_asynchronous") void set_asynchronous(u32 yes) { is_asynchronous = yes; }

void begin_agents(void) {
  if (has_agents) return;
  has_agents = 1;
  if (!clocks) {
    clocks = take(MOST_THREADS * sizeof *clocks);
    at_fence = take(MOST_THREADS * sizeof *at_fence);
    fences = take(MOST_THREADS * sizeof *fences);
  }
  for (u32 t = 0; t < block_threads; ++t) {
    __builtin_memset(clocks[t], 0, sizeof *clocks);
    __builtin_memset(at_fence[t], 0, sizeof *at_fence);
    fences[t].count = 0;
  }
  begin_block_barriers();
  begin_block_bulk();
  begin_block_wgmma();
}

void begin_block_agents(void) {
  has_agents = agent_count = 0;
  first_store = store_count;
  if (is_asynchronous) begin_agents();
}

void end_block_agents(void) {
  if (!has_agents) return;
  end_block_bulk();
  end_block_wgmma();
}
