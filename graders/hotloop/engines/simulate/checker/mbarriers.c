// mbarriers: phases that end when all arrivals and all expected bytes of copies are in.
//
// Whoever arrives passes on what it knows; whoever waits for a phase learns what was passed on in the phases that are
// complete, and of nothing else, however early a copy has really arrived.
// Source: PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier".
#include "checker.h"

enum { MOST_BARRIERS = 256, MOST_ARRIVALS = (1 << 20) - 1, TESTS_BEFORE_WAITING = 64 };
#define INVALID 0xffffffff   // the address of a barrier that is none any more

static Barrier barriers[MOST_BARRIERS];
static u32 barrier_count;
static u32 (*barrier_clocks)[2][CLOCK];
// phase: the one that is waited for. ended: it has ended since the thread began to wait.
static struct { u32 address, parity, phase, tests, site, ended; } waits[MOST_THREADS];

const Barrier* barrier_number(u32 number) { return barriers + number; }
u32 number_of_barrier(const Barrier* b) { return (u32)(b - barriers); }

static Barrier* barrier_at(u32 address) {
  for (u32 i = 0; i < barrier_count; ++i) {
    if (barriers[i].address == address) return barriers + i;
  }
  return 0;
}

static u32 region_number_at(u32 address) { return region_number(region_at(address)); }

// The barrier at an address; it must be initialized, and by a thread that this one is ordered behind.
static Barrier* require_barrier(u32 address, u32 site, u32 did) {
  Barrier* b = barrier_at(address);
  if (!b) {
    find(NO_BARRIER, address, region_number_at(address), me(site, did), 0, 0, 0, 0, 0);
    abandon();
  }
  if (is_watched && !b->is_reported && !follows(&b->init)) {
    b->is_reported = 1;
    find(BARRIER_UNORDERED, address, region_number_at(address), me(site, did), &b->initialized, 0, 0, 0, 0);
  }
  return b;
}

Barrier* barrier_of_copy(u32 address, u32 site) {
  Barrier* b = require_barrier(address, site, COPIES);
  if (is_watched && !b->is_fenced) find(BARRIER_UNFENCED, address, region_number_at(address), me(site, COPIES), &b->initialized, 0, 0, 0, 0);
  return b;
}

// A fence shows to the copy engine those barriers whose initialization is ordered before it.
void fence_barriers(void) {
  for (u32 i = 0; i < barrier_count; ++i) {
    if (follows(&barriers[i].init)) barriers[i].is_fenced = 1;
  }
}

// The bytes of a barrier are its own.
void touch_barrier(u32 address, u32 bytes, u32 did, u32 site) {
  for (u32 i = 0; i < barrier_count; ++i) {
    const Barrier* b = barriers + i;
    if (b->address >= address + bytes || b->address + 8 <= address) continue;
    find(BARRIER_BYTES, b->address, region_number_at(address), me(site, did), &b->initialized, 0, 0, 0, 0);
  }
}

// --- phases ----------------------------------------------------------------------------------------------

static void bytes_differ(const Barrier* b, Witness copy, u32 late) {
  find(BYTES_DIFFER, b->address, region_number_at(b->address), copy, b->expected ? &b->expects : &b->arrived, b->expected, b->brought, b->phase, late);
  abandon();
}

// A wait tells the phase that is open from the one before it, and no others.
static void overtaken(const Barrier* b, u32 phase, u32 of_wait, Witness waiter) {
  find(OVERTAKEN, b->address, region_number_at(b->address), waiter, &b->arrived, of_wait, phase, b->count, 0);
}

static void learn_phases(u32 t, const Barrier* b) {
  join_clock(thread_clock(t), b->done);
  learn_messages(t, b->done_messages);
}

// Whoever waits for the phase learns what is passed on until now, and nothing of later phases, whenever it runs again.
static void tell_waiting(const Barrier* b) {
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != AT_MBARRIER || waits[t].address != b->address) continue;
    const Witness waiter = {waits[t].site, WAITS, block_in_launch, t};
    if (waits[t].ended && is_watched) overtaken(b, b->phase + 1, waits[t].phase, waiter);
    if (waits[t].ended || waits[t].phase != b->phase) continue;
    waits[t].ended = 1;
    learn_phases(t, b);
  }
}

static void end_phase_if_complete(Barrier* b, Witness last) {
  if (b->pending) return;
  if (b->bytes < 0) bytes_differ(b, last, 0);
  if (b->bytes) return;
  b->arriving[FIRST_AGENT + b->agent] = b->phase + 1;
  join_clock(b->done, b->arriving);
  join_messages(&b->done_messages, b->arriving_messages);
  b->arriving_messages = 0;
  __builtin_memset(b->arriving, 0, sizeof(u32) * CLOCK);
  tell_waiting(b);
  ++b->phase;
  b->had_bytes = b->expected != 0;
  b->pending = b->count;
  b->expected = b->brought = 0;
}

// A copy of the phase has brought its bytes.
void bring(u32 number, u32 phase, u32 bytes, Witness copy) {
  Barrier* b = barriers + number;
  if (b->phase != phase) bytes_differ(b, copy, bytes);
  b->bytes -= (s32)bytes;
  b->brought += bytes;
  end_phase_if_complete(b, copy);
}

static void initialize(u32 address, u32 count, u32 site) {
  Region* r = region_at(address);
  if (!r || r->space != SHARED || address + 8 > r->end) bad_async(NOT_SHARED, address, 0, site);
  if (address % 8) bad_async(BARRIER_ALIGNMENT, address, 0, site);
  if (!count || count > MOST_ARRIVALS) bad_async(BAD_COUNT, address, count, site);
  Barrier* old = barrier_at(address);
  if (old) {
    if (is_watched) find(BARRIER_AGAIN, address, region_number(r), me(site, INITIALIZES), &old->initialized, 0, 0, 0, 0);
    old->address = INVALID;
  }
  if (barrier_count == MOST_BARRIERS) bad_async(TOO_MANY_BARRIERS, address, MOST_BARRIERS, site);
  const Witness who = me(site, INITIALIZES);
  u32(*both)[CLOCK] = barrier_clocks[barrier_count];
  __builtin_memset(both, 0, sizeof *barrier_clocks);
  barriers[barrier_count] = (Barrier){
      .address = address, .count = count, .pending = count, .agent = new_agent(BARRIER_COPIES, barrier_count, site),
      .init = record_of_thread(WRITES, site), .initialized = who, .expects = who, .arrived = who, .arriving = both[0], .done = both[1]};
  ++barrier_count;
  if (is_watched) set_written(r, address, 8);
  store(address, 8, 0x7fba7fba7fba7fba);
}

// How many phases the running thread knows to be over.
static u32 phases_known(const Barrier* b) { return thread_clock(thread)[FIRST_AGENT + b->agent]; }

// Whether this arrival can only count for the phase that is open. Either the thread knows that the one before is over, or all arrivals
// at that one are ordered before this one and it had no bytes to wait for. What messages through atomics order is not looked at.
static u32 can_only_be_now(const Barrier* b) {
  if (phases_known(b) >= b->phase || has_messages(thread)) return 1;
  if (b->had_bytes) return 0;
  static u32 mine[CLOCK];
  __builtin_memset(mine, 0, sizeof mine);
  knowledge_of(thread, mine);
  mine[thread] = ~0u;
  mine[FIRST_AGENT + b->agent] = ~0u;
  for (u32 i = 0; i < CLOCK; ++i) if (b->done[i] > mine[i]) return 0;
  return 1;
}

static void arrive(Barrier* b, u32 site) {
  if (!b->pending) {
    find(TOO_MANY_ARRIVALS, b->address, region_number_at(b->address), me(site, ARRIVES), &b->arrived, b->count, b->phase, (u32)b->bytes, 0);
    abandon();
  }
  if (is_watched) {
    if (!can_only_be_now(b)) find(UNORDERED_ARRIVAL, b->address, region_number_at(b->address), me(site, ARRIVES), &b->arrived, b->count, b->phase, 0, 0);
    release_clock(thread, b->arriving);
    tell_messages(thread, &b->arriving_messages);
  }
  --b->pending;
  b->arrived = me(site, ARRIVES);
  end_phase_if_complete(b, b->arrived);
}

enum { INIT, ARRIVE, ARRIVE_EXPECT, EXPECT, INVALIDATE };
PROGRAM("mbarrier") void mbarrier(u32 op, u32 address, u32 value, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  if (op > INVALIDATE) trap(site);
  if (op == INIT) {
    initialize(address, value, site);
    return;
  }
  Barrier* b = require_barrier(address, site, op == EXPECT ? EXPECTS : ARRIVES);
  if (op == INVALIDATE) {
    b->address = INVALID;
    return;
  }
  if (op == EXPECT || op == ARRIVE_EXPECT) {
    if (value > MOST_ARRIVALS || b->expected + value > MOST_ARRIVALS) bad_async(TOO_MANY_BYTES, address, value, site);
    b->bytes += (s32)value;
    b->expected += value;
    b->expects = me(site, EXPECTS);
  }
  if (op != EXPECT) arrive(b, site);
}

// --- waiting ---------------------------------------------------------------------------------------------

// Whether the phase of this parity is over: the newest complete one has it.
static u32 is_over(const Barrier* b, u32 parity) { return (b->phase & 1) != (parity & 1); }

// Whether thread t, the running one, need not wait. A try gives up once, so that its result has to be looked at. A test that fails again
// and again waits: it has nothing else to do.
enum { TRY, TEST };
u32 begin_wait(u32 t, u32 address, u32 parity, u32 how, u32 site) {
  begin_agents();
  const Barrier* b = require_barrier(address, site, WAITS);
  const u32 phase = is_over(b, parity) ? b->phase - 1 : b->phase;
  const u32 tests = waits[t].address == address && waits[t].phase == phase ? waits[t].tests + 1 : 1;
  waits[t].address = address, waits[t].parity = parity & 1, waits[t].phase = phase, waits[t].tests = tests, waits[t].site = site;
  waits[t].ended = 0;
  // The phase that is meant, by what the thread knows: the first one that it does not know to be over, or the one before.
  const u32 known = phases_known(b), meant = (parity & 1) == (known & 1) ? known : known - 1;
  if (is_watched && b->phase > meant + 1 && !has_messages(t)) overtaken(b, b->phase, meant, me(site, WAITS));
  threads[t].result = is_over(b, parity);
  if (threads[t].result) learn_phases(t, b);
  return threads[t].result || tests < (how == TRY ? 2 : how == TEST ? TESTS_BEFORE_WAITING : 0);
}

u32 wake_waiting(void) {
  u32 woken = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state == AT_WGMMA && end_products(t, (u32)threads[t].value)) threads[t].state = READY, woken = 1;
    if (threads[t].state != AT_MBARRIER) continue;
    if (!waits[t].ended) continue;
    threads[t].state = READY;
    threads[t].result = woken = 1;
  }
  return woken;
}

// Where the thread has last waited at the barrier, if that was for an earlier phase than this one: 1 + the parity | the
// site << 2; else 0.
u32 earlier_wait(u32 t, const Barrier* b, u32 phase) {
  const u32 is_earlier = waits[t].address == b->address && (s32)waits[t].phase < (s32)phase;
  return is_earlier ? (1 + waits[t].parity) | waits[t].site << 2 : 0;
}

// --- named barriers (barrier.sync and barrier.arrive with a number) ---------------------------------------

enum { MOST_NAMED = 16 };
static struct { u32 count, arrived, messages; Witness first; u8 has_arrived[MOST_THREADS]; } named[MOST_NAMED];
static u32 (*named_clocks)[CLOCK];

// The running thread arrives at a barrier of `count` threads. Returns whether it can go on.
u32 arrive_at_named(u32 number, u32 count, u32 only_arrives, u32 site) {
  begin_agents();
  if (!number || number >= MOST_NAMED) bad_async(BAD_NUMBER, 0, number, site);
  if (!count || count % WARP || count > MOST_THREADS) bad_async(BAD_THREADS, 0, count, site);
  if (named[number].arrived && named[number].count != count) {
    find(NAMED_DIFFERS, 0, 0, me(site, WAITS), &named[number].first, number, count, named[number].count, 0);
    abandon();
  }
  if (named[number].arrived && named[number].has_arrived[thread]) {
    find(NAMED_AGAIN, 0, 0, me(site, ARRIVES), 0, number, named[number].arrived, count, 0);
    abandon();
  }
  if (!named[number].arrived) {
    __builtin_memset(named[number].has_arrived, 0, sizeof named[number].has_arrived);
    named[number].count = count, named[number].first = me(site, WAITS), named[number].messages = 0;
    __builtin_memset(named_clocks[number], 0, sizeof *named_clocks);
  }
  if (is_watched) {
    release_clock(thread, named_clocks[number]);
    if (!only_arrives) learn(thread);
    tell_messages(thread, &named[number].messages);
  }
  named[number].has_arrived[thread] = 1;
  if (++named[number].arrived < count) return only_arrives;
  named[number].arrived = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    const u32 waits_here = threads[t].state == AT_NAMED && (u32)threads[t].value == number;
    if (!waits_here && (t != thread || only_arrives)) continue;
    if (is_watched) join_clock(thread_clock(t), named_clocks[number]), learn_messages(t, named[number].messages);
    if (waits_here) threads[t].state = READY;
  }
  return 1;
}

PROGRAM("named_arrive") void named_arrive(u32 number, u32 count, u32 site) {
  if (in_doubt) settle();
  last_site = site;
  arrive_at_named(number, count, 1, site);
}

static u32 report_named(void) {
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != AT_NAMED) continue;
    const u32 number = (u32)threads[t].value;
    u32 other = t;
    for (u32 i = t; i < block_threads; ++i) if (threads[i].state != FINISHED && threads[i].site != threads[t].site) other = i;
    const Witness elsewhere = {threads[other].site, WAITS, block_in_launch, other};
    find(NAMED_HANG, 0, 0, (Witness){threads[t].site, WAITS, block_in_launch, t}, other == t ? 0 : &elsewhere, number, named[number].arrived, named[number].count, 0);
    return 1;
  }
  return report_uneven();
}

// --- hangs -----------------------------------------------------------------------------------------------

static u32 lacks_bytes(const Barrier* b) { return b->bytes && !b->pending; }

// No thread can go on. Tell of the barrier that is behind: one that lacks bytes, else the one of the fewest phases.
u32 report_hang(void) {
  u32 worst = MOST_THREADS, waiting = 0;
  u64 least_progress = ~0ull;
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != AT_MBARRIER) continue;
    ++waiting;
    const Barrier* b = barrier_at((u32)threads[t].value);
    if (!b) continue;
    const u64 progress = (u64)!lacks_bytes(b) << 60 | (u64)b->phase << 20 | t;
    if (progress < least_progress) least_progress = progress, worst = t;
  }
  if (worst == MOST_THREADS) return report_named();
  const Barrier* b = barrier_at((u32)threads[worst].value);
  const Witness one = {threads[worst].site, WAITS, block_in_launch, worst};
  if (lacks_bytes(b)) {
    find(HANG, b->address, 0, one, &b->expects, b->phase << 1, b->expected, b->brought, waiting);
    return 1;
  }
  Witness other = b->arrived;
  u32 elsewhere = 0;
  for (u32 t = 0; t < block_threads && !elsewhere; ++t) {
    if (threads[t].state != AT_MBARRIER || (u32)threads[t].value == b->address) continue;
    elsewhere = (u32)threads[t].value;
    other = (Witness){threads[t].site, WAITS, block_in_launch, t};
  }
  find(HANG, b->address, elsewhere, one, &other, 1 | b->phase << 1, b->pending, b->count, waiting);
  return 1;
}

void begin_block_barriers(void) {
  barrier_count = 0;
  if (!barrier_clocks) barrier_clocks = take(MOST_BARRIERS * sizeof *barrier_clocks);
  if (!named_clocks) named_clocks = take(MOST_NAMED * sizeof *named_clocks);
  __builtin_memset(waits, 0, sizeof waits);
  __builtin_memset(named, 0, sizeof named);
}
