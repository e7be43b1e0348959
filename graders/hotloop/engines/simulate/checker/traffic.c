// What each line of a kernel moves: the bytes it requests, and what the hardware transfers for them.
//
// Lanes of a warp that execute the same instruction for the same time make one request. Global memory
// is transferred in sectors of 32 bytes, shared memory in passes over 32 banks of 4 bytes.
// Source: CUDA C++ Best Practices Guide, "Coalesced Access to Global Memory" and "Shared Memory".
#include "checker.h"

enum { SECTOR = 32, BANKS = 32, BANK_BYTES = 4, POOL = 1 << 16, MOST_KERNELS = 256 };

typedef struct { u32 next, lanes, bytes, row, at[WARP]; } Request;
static Request pool[POOL];
static u32 used = 1;
// A place in the code can use several memory spaces, through a pointer that may point to either: it has
// one row for each space.
enum { SPACES = ELSEWHERE, ROWS = MOST_SITES * SPACES };
static u32 head[ROWS], tail[ROWS], cursor[ROWS], stamp[ROWS], lane_stamp = 1;
static Traffic* by_kernel[MOST_KERNELS];
static Traffic* sites;
static u32 site_count;

HOST("sites") void set_sites(u32 count) { site_count = count; }
HOST("statements") u32 statements_at(void) { return (u32)statements; }
HOST("traffic") u32 traffic_of(u32 kernel) { return (u32)by_kernel[kernel % MOST_KERNELS]; }

// What the first warp of each kernel's first launch requested, in order: pages show it step by step.
typedef struct { u32 kernel, site, space, did, bytes, lanes, at[WARP]; } Step;
enum { MOST_STEPS = 512 };
static Step steps[MOST_STEPS];
static u32 step_count, is_first_launch;

HOST("steps") u32 steps_at(void) { return (u32)steps; }
HOST("step_count") u32 count_of_steps(void) { return step_count; }

void begin_traffic(u32 kernel) {
  Traffic** mine = by_kernel + kernel % MOST_KERNELS;
  is_first_launch = !*mine;
  if (!*mine) *mine = take(site_count * SPACES * sizeof(Traffic));
  sites = *mine;
}

static void sort(u32* values, u32 count) {
  for (u32 i = 1; i < count; ++i) {
    const u32 value = values[i];
    u32 k = i;
    for (; k && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
}

// The number of passes over the banks: the most distinct words in one bank.
static u32 passes(const u32* starts, u32 count, u32 bytes) {
  u32 words[WARP * 4], total = 0, in_bank[BANKS] = {0}, worst = 0;
  for (u32 i = 0; i < count; ++i) {
    for (u32 w = starts[i] / BANK_BYTES; w <= (starts[i] + bytes - 1) / BANK_BYTES && total < WARP * 4; ++w) words[total++] = w;
  }
  sort(words, total);
  for (u32 i = 0; i < total; ++i) {
    if (i && words[i] == words[i - 1]) continue;
    worst = most(worst, ++in_bank[words[i] % BANKS]);
  }
  return worst;
}

static void account(Traffic* site, const Request* request) {
  ++site->requests;
  if (site->space == SHARED) {
    // Wide accesses are processed in parts of the warp: 8 bytes in halves, 16 bytes in quarters.
    const u32 parts = most(1, least(4, request->bytes / BANK_BYTES)), lanes = WARP / parts;
    for (u32 part = 0; part < parts; ++part) {
      u32 some[WARP], count = 0;
      for (u32 lane = part * lanes; lane < (part + 1) * lanes; ++lane) {
        if (request->lanes >> lane & 1) some[count++] = request->at[lane];
      }
      if (!count) continue;
      site->moved += passes(some, count, request->bytes);
      ++site->fewest;
    }
    return;
  }
  u32 starts[WARP], count = 0;
  for (u32 rest = request->lanes; rest; rest &= rest - 1) starts[count++] = request->at[__builtin_ctz(rest)];
  sort(starts, count);
  u32 sectors = 0, bytes = 0, last_sector = ~0u, reached = 0;
  for (u32 i = 0; i < count; ++i) {
    const u32 begin = most(starts[i], reached), end = starts[i] + request->bytes;
    if (end <= begin && i) continue;
    bytes += end - begin;
    reached = end;
    for (u32 s = begin / SECTOR; s <= (end - 1) / SECTOR; ++s) sectors += s != last_sector, last_sector = s;
  }
  site->moved += sectors * SECTOR;
  site->fewest += (bytes + SECTOR - 1) / SECTOR * SECTOR;
}

static void keep(const Request* request) {
  const Traffic* site = sites + request->row;
  if (step_count == MOST_STEPS) return;
  Step* step = steps + step_count++;
  *step = (Step){kernel_number, request->row % site_count, site->space, site->did, request->bytes, request->lanes, {0}};
  for (u32 lane = 0; lane < WARP; ++lane) step->at[lane] = request->at[lane];
}

void end_requests(void) {
  const u32 keeps = is_first_launch && !block_in_launch && thread < WARP;
  for (u32 r = 1; r < used; ++r) {
    account(sites + pool[r].row, pool + r);
    head[pool[r].row] = 0;
    if (keeps) keep(pool + r);
  }
  used = 1;
  ++lane_stamp;
}

void next_lane(void) { ++lane_stamp; }

static Traffic* row(u32 site, u32 bytes, u32 space, u32 did) {
  Traffic* s = sites + site + space * site_count;
  s->space = space, s->did = did;
  ++s->accesses;
  s->bytes += bytes;
  s->width = most(s->width, bytes);
  return s;
}

void overlapped_traffic(u32 site, u32 bytes) { sites[site + GLOBAL * site_count].overlapped += bytes; }

// A bulk copy: whole sectors in global memory; in shared memory its bytes, in passes over all banks.
void bulk_traffic(u32 site, u32 bytes, u32 sectors, u32 space, u32 did) {
  if (!is_watched) return;
  Traffic* s = row(site, 16, space, did);
  const u32 passes_or_bytes = space == SHARED ? (bytes + BANKS * BANK_BYTES - 1) / (BANKS * BANK_BYTES) : sectors * SECTOR;
  ++s->requests;
  s->bytes += (u64)bytes - 16;
  s->moved += passes_or_bytes;
  s->fewest += space == SHARED ? passes_or_bytes : (bytes + SECTOR - 1) / SECTOR * SECTOR;
}

// Rows of 16 bytes that a matrix product reads from shared memory together.
void operand_traffic(u32 site, const u32* rows, u32 count) {
  Traffic* s = row(site, 16 * count, SHARED, READS);
  ++s->requests;
  s->moved += passes(rows, count, 16);
  ++s->fewest;
}

// Arrays and spills on a thread's stack: lanes use the same offsets of interleaved stacks; only bytes count.
void local_traffic(u32 site, u32 bytes, u32 did, u32 may_be_in_registers) {
  Traffic* s = row(site, bytes, LOCAL, did);
  if (!may_be_in_registers) s->moved += bytes, s->fewest += bytes;
}

// The k-th executions of a place by all lanes of the warp form one request.
void traffic(u32 site, u32 address, u32 bytes, u32 space, u32 did, u32 lane) {
  site = (u32)(row(site, bytes, space, did) - sites);
  if (used == POOL) end_requests();
  u32 r;
  if (!head[site]) {
    r = head[site] = tail[site] = used++;
    pool[r] = (Request){.row = site};
  } else if (stamp[site] != lane_stamp) {
    r = head[site];
  } else {
    r = pool[cursor[site]].next;
    if (!r) {
      r = used++;
      pool[r] = (Request){.row = site};
      pool[tail[site]].next = r;
      tail[site] = r;
    }
  }
  stamp[site] = lane_stamp;
  cursor[site] = r;
  pool[r].lanes |= 1u << lane;
  pool[r].bytes = bytes;
  pool[r].at[lane] = address;
}
