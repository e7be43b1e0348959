// Matrix products of a warp group (wgmma): asynchronous, with operands in shared memory and sums in registers.
//
// A warp group is an agent that reads the operands. Sums are kept here until the thread waits for their group; until
// then the thread's registers hold NaN, and touching them is a finding. Groups are the warp group's: a product is
// complete when all four warps have called it, so that a warp that has waited may give a slot back for all. A wait is by
// all threads of the group: no thread passes it before its whole warp has come.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#include "checker.h"

enum { MOST_ACCUMULATORS = 8, MOST_N = 256, WARPGROUP = 128, K_BYTES = 32, ROWS = 16 };
enum type { F16, BF16, E4M3, E5M2 };

typedef struct { u32 at, n, group, in_flight, needs_fence, site; float sum[MOST_N / 2]; } Accumulator;
static Accumulator (*accumulators)[MOST_ACCUMULATORS];
static struct { u32 count, open, is_fenced, products, waits, site, wait_site, changes, registers, registers_site; } state[MOST_THREADS];
static u32 agent_of[MOST_THREADS / WARPGROUP];   // of a warp group, plus 1
u32 has_accumulators;
enum { KEPT = 64 };
// Of a warp group's newest waits and products: what the first thread that came there has said.
static struct { u32 number, newest, site, thread; } group_waits[MOST_THREADS / WARPGROUP][KEPT];
static struct { u64 a, b; u32 number, how, site, thread; } group_products[MOST_THREADS / WARPGROUP][KEPT];

// The operands of the product that the running warp is at, as numbers: its lanes come one after the other.
static struct { u32 warp, product; float a[ROWS][K_BYTES], b[MOST_N][K_BYTES]; } operands;

void begin_block_wgmma(void) {
  if (!accumulators) accumulators = take(MOST_THREADS * sizeof *accumulators);
  __builtin_memset(state, 0, block_threads * sizeof *state);
  __builtin_memset(agent_of, 0, sizeof agent_of);
  __builtin_memset(group_waits, 0, sizeof group_waits);
  __builtin_memset(group_products, 0, sizeof group_products);
  operands.product = 0;
  has_accumulators = 0;
}
void begin_thread_wgmma(u32 t) { has_accumulators = has_agents && state[t].count; }

// --- operands --------------------------------------------------------------------------------------------

// Fields of a descriptor, in bytes. The simulator's addresses have more bits than a GPU's: wgmma_descriptor() in
// hopper.cuh puts them into fields that a GPU does not use.
typedef struct { u32 start, lead, stride, swizzle; } Operand;
static Operand operand_of(u64 d) {
  const u32 units = (u32)(d & 0x3fff) | (u32)(d >> 52 & 0x3ff) << 14 | (u32)(d >> 14 & 3) << 24 | (u32)(d >> 30 & 3) << 26;
  const u32 kind = (u32)(d >> 62);
  return (Operand){units << 4, (u32)(d >> 16 & 0x3fff) << 4, (u32)(d >> 32 & 0x3fff) << 4, kind ? 256u >> kind : 0};
}

// A swizzle repeats after 8 rows, and an operand begins with the first of them: wgmma_descriptor has no base offset.
static void require_first_row(const Operand* o, u32 site) {
  const u32 inside = o->swizzle ? o->start & (8 * o->swizzle - 1) & ~(o->swizzle - 1) : 0;
  if (inside) bad_async(INSIDE_PATTERN, o->start, inside / o->swizzle, site);
}

// Address of 16 bytes of a row, which is the first half (0) or the second (1) of the 32 that a product takes.
static u32 half_row(const Operand* o, u32 row, u32 half) {
  if (!o->swizzle) return o->start + row / 8 * o->stride + half * o->lead + row % 8 * 16;
  return swizzled(o->start + row / 8 * o->stride + row % 8 * o->swizzle + half * 16, o->swizzle);
}

static float from_bits(u32 bits) { union { u32 u; float f; } v = {bits}; return v.f; }
static u32 to_bits(float value) { union { float f; u32 u; } v = {value}; return v.u; }

// A number with so many bits of exponent and fraction. has_infinity: as IEEE 754; else (e4m3) the largest code is NaN.
static float from_small(u32 bits, u32 exponent_bits, u32 fraction_bits, u32 has_infinity) {
  const u32 exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1), fraction = bits & ((1u << fraction_bits) - 1);
  const u32 sign = bits >> (exponent_bits + fraction_bits) & 1, most_exponent = (1u << exponent_bits) - 1, bias = most_exponent / 2;
  const u32 is_last = has_infinity ? exponent == most_exponent : exponent == most_exponent && fraction == (1u << fraction_bits) - 1;
  if (is_last) return from_bits(sign << 31 | 0x7f800000 | fraction << (23 - fraction_bits));
  const float size = exponent ? from_bits((exponent - bias + 127) << 23 | fraction << (23 - fraction_bits))
                              : (float)fraction * from_bits((128 - bias - fraction_bits) << 23);
  return sign ? -size : size;
}

static float number_of(u32 type, u32 bits) {
  switch (type) {
    case F16: return from_small(bits, 5, 10, 1);
    case BF16: return from_bits(bits << 16);
    case E4M3: return from_small(bits, 4, 3, 0);
    default: return from_small(bits, 5, 2, 1);
  }
}
static u32 size_of(u32 type) { return type < E4M3 ? 2 : 1; }

static void read_half(float* to, u32 type, u64 low, u64 high) {
  const u32 bytes = size_of(type);
  for (u32 i = 0; i < 16 / bytes; ++i) {
    const u32 bit = i * bytes * 8;
    to[i] = number_of(type, (u32)((bit < 64 ? low >> bit : high >> (bit - 64)) & ((1u << bytes * 8) - 1)));
  }
}

// Report and read `count` rows of an operand from `first` on.
static void read_rows(const Operand* o, u32 first, u32 count, float (*to)[K_BYTES], u32 type, u32 site, u32 agent, u32 epoch) {
  u32 is_told = 0;
  for (u32 i = 0; i < count; ++i) {
    for (u32 half = 0; half < 2; ++half) {
      const u32 at = half_row(o, first + i, half);
      agent_reads(at, 16, SHARED, site, agent, epoch);
      const u32 laid = is_watched ? swizzle_at(region_at(at), at) : 0;
      if (laid && laid - 1 != o->swizzle && !is_told) {
        find(SWIZZLES_DIFFER, at, region_number(region_at(at)), me(site, MULTIPLIES), 0, laid - 1, o->swizzle, 0, 0);
        is_told = 1;
      }
      read_half(to[i] + half * (16 / size_of(type)), type, load(at, 8), load(at + 8, 8));
    }
  }
  // Eight rows of 16 bytes are one pass over the banks, if they lie in different ones.
  for (u32 i = 0; is_watched && i < count; i += 8) {
    for (u32 half = 0; half < 2; ++half) {
      u32 rows[8];
      for (u32 k = 0; k < 8; ++k) rows[k] = half_row(o, first + i + k, half);
      operand_traffic(site, rows, 8);
    }
  }
}

// --- accumulators ----------------------------------------------------------------------------------------

static Accumulator* accumulator(u32 d, u32 n, u32 site) {
  for (u32 i = 0; i < state[thread].count; ++i) {
    Accumulator* it = accumulators[thread] + i;
    if (it->at == d && it->n == n) return it;
  }
  // Those that are complete and overlap are variables that are gone.
  for (u32 i = 0; i < state[thread].count;) {
    const Accumulator* it = accumulators[thread] + i;
    const u32 is_gone = !it->in_flight && it->at < d + 2 * n && d < it->at + 2 * it->n;
    if (is_gone) accumulators[thread][i] = accumulators[thread][--state[thread].count]; else ++i;
  }
  if (state[thread].count == MOST_ACCUMULATORS) bad_async(TOO_MANY_ACCUMULATORS, 0, MOST_ACCUMULATORS, site);
  Accumulator* it = accumulators[thread] + state[thread].count++;
  *it = (Accumulator){.at = d, .n = n, .needs_fence = !state[thread].is_fenced};
  return it;
}

// The thread's own instructions use registers of its products.
void touch_accumulators(u32 address, u32 bytes, u32 did, u32 site) {
  for (u32 i = 0; i < state[thread].count; ++i) {
    Accumulator* it = accumulators[thread] + i;
    if (address >= it->at + 2 * it->n || address + bytes <= it->at) continue;
    it->needs_fence = 1;
    if (it->in_flight) find(ACCUMULATOR_IN_FLIGHT, 0, 0, me(site, did), &(Witness){it->site, MULTIPLIES, block_in_launch, thread}, it->group >= state[thread].open, 0, 0, 0);
  }
}

// All threads of a warp group name the same operands, and whether the product adds: one instruction has them once.
static void require_alike(u64 a, u64 b, u32 how, u32 product, u32 site) {
  const u32 at = product % KEPT, group = thread / WARPGROUP;
  if (group_products[group][at].number < product) {
    group_products[group][at].number = product, group_products[group][at].a = a, group_products[group][at].b = b;
    group_products[group][at].how = how, group_products[group][at].site = site, group_products[group][at].thread = thread;
    return;
  }
  if (group_products[group][at].number != product) return;
  const u32 differs = group_products[group][at].a != a ? 1 : group_products[group][at].b != b ? 2 : group_products[group][at].how != how ? 3 : 0;
  if (!differs) return;
  const Witness first = {group_products[group][at].site, MULTIPLIES, block_in_launch, group_products[group][at].thread};
  find(UNLIKE_OPERANDS, 0, 0, me(site, MULTIPLIES), &first, differs, first.thread, 0, 0);
}

// d += a · b for 64 rows of a, of which this thread's warp has 16. rows: 0, or where a thread's two rows of a lie,
// if they come from registers. how: n | adds << 16 | type << 17.
PROGRAM("wgmma") void wgmma(u32 d, u64 a, u64 b, u32 rows, u32 how, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  const u32 n = how & 0xffff, adds = how >> 16 & 1, type = how >> 17, warp = thread / WARP, lane = thread % WARP;
  if (!n || n % 8 || n > MOST_N || type > E5M2) trap(site);
  if (!is_on_own_stack(d, 2 * n) || (rows && !is_on_own_stack(rows, 2 * K_BYTES))) bad_async(NOT_REGISTERS, d, 0, site);
  if (block_threads < (warp / 4 + 1) * WARPGROUP) bad_async(NO_WARPGROUP, 0, block_threads, site);
  if (!agent_of[warp / 4]) agent_of[warp / 4] = new_agent(WGMMA, warp / 4, site) + 1;
  state[thread].site = site;
  const u32 agent = agent_of[warp / 4] - 1, epoch = state[thread].open + 1, product = ++state[thread].products;
  ++work_count;
  if (is_watched) require_alike(rows ? 0 : a, b, how | (u32)!rows << 31, product, site);
  if (operands.warp != warp || operands.product != product) {
    operands.warp = warp, operands.product = product;
    const Operand of_a = operand_of(a), of_b = operand_of(b);
    if (!rows) require_first_row(&of_a, site);
    require_first_row(&of_b, site);
    if (!rows) read_rows(&of_a, warp % 4 * ROWS, ROWS, operands.a, type, site, agent, epoch);
    read_rows(&of_b, 0, n, operands.b, type, site, agent, epoch);
  }
  float of_thread[2][K_BYTES];
  const u32 depth = K_BYTES / size_of(type);
  for (u32 i = 0; i < 2; ++i) {
    if (!rows) { __builtin_memcpy(of_thread[i], operands.a[lane / 4 + 8 * i], sizeof *of_thread); continue; }
    for (u32 half = 0; half < 2; ++half) {
      const u32 at = rows + i * K_BYTES + half * 16;
      read_half(of_thread[i] + half * (depth / 2), type, load(at, 8), load(at + 8, 8));
    }
  }
  Accumulator* it = accumulator(d, n, site);
  if (it->needs_fence && is_watched) find(NO_WGMMA_FENCE, 0, 0, me(site, MULTIPLIES), 0, 0, 0, 0, 0);
  if (!it->in_flight) for (u32 i = 0; i < n / 2; ++i) it->sum[i] = from_bits((u32)load(d + 4 * i, 4));
  if (!adds) __builtin_memset(it->sum, 0, sizeof it->sum);
  it->group = state[thread].open, it->in_flight = has_accumulators = 1, it->site = site;
  for (u32 i = 0; i < n / 2; ++i) {
    const float *x = of_thread[i / 2 % 2], *y = operands.b[i / 4 * 8 + lane % 4 * 2 + i % 2];
    float sum = it->sum[i];
    for (u32 k = 0; k < depth; ++k) sum += x[k] * y[k];
    it->sum[i] = sum;
  }
  fill(d, 0xff, 2 * n);
}

// Whether all warps of thread t's warp group have called the products that it waits for; then it has the sums.
u32 end_products(u32 t, u32 newest) {
  begin_agents();
  if (state[t].open < newest) return 1;
  const u32 complete_to = state[t].open - newest, first = t / WARPGROUP * WARPGROUP;
  for (u32 other = first; other < least(first + WARPGROUP, block_threads); ++other) {
    if (state[other].open < complete_to) return 0;
  }
  for (u32 i = 0; i < state[t].count; ++i) {
    Accumulator* it = accumulators[t] + i;
    if (!it->in_flight || it->group >= complete_to) continue;
    for (u32 k = 0; k < it->n / 2; ++k) store(it->at + 4 * k, 4, to_bits(it->sum[k]));
    it->in_flight = 0;
  }
  const u32 agent = agent_of[t / WARPGROUP];
  if (!agent || !is_watched) return 1;
  u32* known = thread_clock(t) + FIRST_AGENT + agent - 1;
  *known = most(*known, complete_to);
  return 1;
}

// All threads of a warp group execute the same waits: the first thread that comes to one says which.
void count_wait(u32 newest, u32 site) {
  begin_agents();
  const u32 number = ++state[thread].waits, at = number % KEPT, group = thread / WARPGROUP;
  state[thread].wait_site = site;
  if (group_waits[group][at].number < number) {
    group_waits[group][at].number = number, group_waits[group][at].newest = newest;
    group_waits[group][at].site = site, group_waits[group][at].thread = thread;
  } else if (group_waits[group][at].number == number && (statements[group_waits[group][at].site] != statements[site] || group_waits[group][at].newest != newest)) {
    const Witness first = {group_waits[group][at].site, WAITS, block_in_launch, group_waits[group][at].thread};
    find(UNEVEN_WAITS, 0, 0, me(site, WAITS), &first, number, first.thread, number, 0);
  }
}

enum { FENCE, COMMIT };
PROGRAM("wgmma_group") void wgmma_group(u32 op, u32 site) {
  begin_agents();
  if (in_doubt) settle();
  last_site = site;
  if (op == COMMIT) ++state[thread].open;
  if (op != FENCE) return;
  state[thread].is_fenced = 1;
  for (u32 i = 0; i < state[thread].count; ++i) accumulators[thread][i].needs_fence = 0;
}

// --- registers -------------------------------------------------------------------------------------------

void note_registers(u32 registers, u32 site) {
  begin_agents();
  ++state[thread].changes;
  state[thread].registers = registers, state[thread].registers_site = site;
}

// A block has the registers that it is launched with: at most so many of a multiprocessor's for each thread. Who asks for more than are
// left waits forever.
enum { REGISTERS = 65536, MOST_OF_A_THREAD = 256 };
static void end_block_registers(void) {
  const u32 at_launch = least(MOST_OF_A_THREAD, REGISTERS / block_threads / 8 * 8);
  u32 asked = 0, most_asked = 0;
  for (u32 t = 0; t < block_threads; ++t) {
    const u32 first = t / WARPGROUP * WARPGROUP;
    if (state[t].changes != state[first].changes || state[t].registers != state[first].registers) {
      const u32 more = state[t].changes < state[first].changes ? first : t, other = more == t ? first : t;
      find(UNEVEN_REGISTERS, 0, 0, (Witness){state[more].registers_site, WAITS, block_in_launch, more}, 0, other, 0, 0, 0);
      return;
    }
    asked += state[t].registers;
    if (state[t].registers > state[most_asked].registers) most_asked = t;
  }
  if (asked <= at_launch * block_threads) return;
  find(TOO_MANY_REGISTERS, 0, 0, (Witness){state[most_asked].registers_site, WAITS, block_in_launch, most_asked}, 0, asked, at_launch * block_threads, at_launch, 0);
}

void end_block_wgmma(void) {
  if (is_watched) end_block_registers();
  for (u32 t = 0; t < block_threads; ++t) {
    for (u32 i = 0; i < state[t].count; ++i) {
      if (accumulators[t][i].in_flight) find(IN_FLIGHT, 0, 0, (Witness){accumulators[t][i].site, MULTIPLIES, block_in_launch, t}, 0, 2, accumulators[t][i].group >= state[t].open, 0, 0);
    }
    const u32 first = t / WARPGROUP * WARPGROUP;
    if (state[t].products != state[first].products) {
      find(UNEVEN_WARPGROUP, 0, 0, (Witness){state[t].site, MULTIPLIES, block_in_launch, t}, 0, state[first].products, state[t].products, 0, 0);
    } else if (state[t].waits != state[first].waits) {
      const u32 more = state[t].waits < state[first].waits ? first : t, other = more == t ? first : t;
      find(UNEVEN_WAITS, 0, 0, (Witness){state[more].wait_site, WAITS, block_in_launch, more}, 0, state[more].waits, other, state[other].waits, 0);
    }
  }
}

// A warp waits for products that another one of its group will not call.
u32 report_uneven(void) {
  for (u32 t = 0; t < block_threads; ++t) {
    if (threads[t].state != AT_WGMMA) continue;
    const u32 first = t / WARPGROUP * WARPGROUP;
    u32 behind = first;
    for (u32 other = first; other < least(first + WARPGROUP, block_threads); ++other) if (state[other].open < state[behind].open) behind = other;
    const Witness other = {threads[behind].site, WAITS, block_in_launch, behind};
    find(UNEVEN_WARPGROUP, 0, 0, (Witness){threads[t].site, WAITS, block_in_launch, t}, &other, state[behind].open, state[t].open, 1, 0);
    return 1;
  }
  return 0;
}
