// The regions of memory, and the checks at each access.
#include "checker.h"

// Set by the host: see layout.py.
static u32 dynamic_at, stacks_at, stack_bytes, heap_at, host_at, parameters_at, parameter_bytes;

HOST("lay_out") void lay_out(u32 dynamic, u32 parameters, u32 bytes, u32 stacks, u32 stack, u32 heap, u32 host) {
  dynamic_at = dynamic;
  parameters_at = parameters;
  parameter_bytes = bytes;
  stacks_at = stacks;
  stack_bytes = stack;
  heap_at = heap;
  host_at = host;
}

// --- memory of the checker's own -----------------------------------------------------------------------

extern u8 __heap_base;
static u32 next_free;

void* take(u32 bytes) {
  if (!next_free) next_free = ((u32)&__heap_base + 15) & ~15u;
  const u32 at = next_free;
  next_free += (bytes + 15) & ~15u;
  const u32 have = __builtin_wasm_memory_size(0) << 16;
  if (next_free < at) __builtin_trap();
  if (next_free > have && __builtin_wasm_memory_grow(0, (next_free - have + 0xffff) >> 16) == (u32)-1) {
    __builtin_trap();
  }
  return (void*)at;
}
HOST("take") u32 take_for_host(u32 bytes) { return (u32)take(bytes); }

// --- regions -------------------------------------------------------------------------------------------

enum { MOST_REGIONS = 1 << 16, GRANULE = 256, GRANULES = 0x50000000 / GRANULE, MOST_STATIC = 4096 };
static Region regions[MOST_REGIONS];
static u32 region_count;
// Regions of the module's own data, sorted by address; regions of the heap are found through `granules`.
static u16 in_data[MOST_STATIC];
static u32 data_count;
static u16 granules[GRANULES];
u32 dynamic_bytes;
static u32 dynamic_region;

u32 region_number(const Region* region) { return region ? (u32)(region - regions) + 1 : 0; }

// Whether there is room for a region's records, which take more than ten times its own bytes.
HOST("has_room") u32 has_room(u32 bytes) {
  const u64 kept = (u64)(bytes / 4 + 2) * sizeof(Cell) + bytes / 8 + 1;
  return !is_watched || next_free + kept + (64 << 20) < (1ull << 32);
}

HOST("add_region") u32 add_region(u32 begin, u32 bytes, u32 space, u32 of_device, u32 starts_written) {
  if (region_count == MOST_REGIONS) __builtin_trap();
  const u32 number = region_count++;
  Region* r = regions + number;
  *r = (Region){begin, begin + bytes, space, 1, of_device, 0, 0};
  if (is_watched && space != CONSTANT) r->cells = take((bytes / 4 + 2) * sizeof(Cell));
  if (is_watched && !starts_written) r->written = take(bytes / 8 + 3);   // is_written reads 3 bytes
  if (begin >= heap_at && begin < host_at) {
    for (u32 g = (begin - heap_at) / GRANULE; g <= (begin + bytes - 1 - heap_at) / GRANULE; ++g) granules[g] = (u16)(number + 1);
  } else {
    if (data_count == MOST_STATIC) __builtin_trap();
    u32 at = data_count++;
    for (; at && regions[in_data[at - 1]].begin > begin; --at) in_data[at] = in_data[at - 1];
    in_data[at] = (u16)number;
  }
  if (begin == dynamic_at) dynamic_region = number;
  return number;
}
HOST("free_region") void free_region(u32 number) { regions[number].live = 0; }
HOST("used") u32 used_by_kernel(u32 number) {
  const u32 was = regions[number].used;
  regions[number].used = 0;
  return was;
}
HOST("written") void written(u32 number, u32 at, u32 bytes) { set_written(regions + number, at, bytes); }

// The region that contains the address, or the last one before it; on the heap, the one in its granule.
Region* region_at(u32 address) {
  if (address >= heap_at) {
    if (address >= host_at) return 0;
    const u32 number = granules[(address - heap_at) / GRANULE];
    return number ? regions + number - 1 : 0;
  }
  u32 low = 0, high = data_count;
  while (low < high) {
    const u32 middle = (low + high) / 2;
    if (regions[in_data[middle]].begin <= address) low = middle + 1; else high = middle;
  }
  return low ? regions + in_data[low - 1] : 0;
}

// Whether all of at most 16 bytes are written.
u32 is_written(const Region* r, u32 address, u32 bytes) {
  if (!r->written) return 1;
  const u32 first = address - r->begin, all = (1u << bytes) - 1;
  const u8* bits = r->written + first / 8;
  const u32 found = bits[0] | bits[1] << 8 | bits[2] << 16;
  return (found >> first % 8 & all) == all;
}

void set_written(Region* r, u32 address, u32 bytes) {
  if (!r->written) return;
  u32 i = address - r->begin;
  const u32 end = i + bytes;
  for (; i < end && (i % 8 || end - i < 8); ++i) r->written[i / 8] |= (u8)(1u << (i % 8));
  if (i < end) {
    __builtin_memset(r->written + i / 8, 0xff, (end - i) / 8);
    for (i += (end - i) / 8 * 8; i < end; ++i) r->written[i / 8] |= (u8)(1u << (i % 8));
  }
}

// At the start of each block, shared memory is filled with NaN and unwritten.
void begin_block_memory(u32 block_) {
  (void)block_;
  for (u32 i = 0; i < data_count; ++i) {
    Region* r = regions + in_data[i];
    if (r->space != SHARED) continue;
    const u32 bytes = in_data[i] == dynamic_region ? dynamic_bytes : r->end - r->begin;
    r->end = r->begin + bytes;
    fill(r->begin, 0xff, bytes);
    if (r->written) __builtin_memset(r->written, 0, bytes / 8 + 1);
  }
}

u32 shared_count(void) {
  u32 count = 0;
  for (u32 i = 0; i < data_count; ++i) count += regions[in_data[i]].space == SHARED;
  return count;
}
Region* shared_region(u32 number) {
  for (u32 i = 0; i < data_count; ++i) {
    if (regions[in_data[i]].space == SHARED && !number--) return regions + in_data[i];
  }
  return 0;
}
u32 bytes_written(const Region* r) { return r->written ? (r->end - r->begin) / 8 + 1 : 0; }

u32 last_site;

// --- accesses ------------------------------------------------------------------------------------------

// The lowest address that the running thread has used on its stack; below it are other threads' values.
static u32 lowest;
static u32 stack_low, stack_high;
// Only the top of a stack can be in registers: a thread of a GPU has 255 registers of 4 bytes.
enum { REGISTER_BYTES = 255 * 4 };
static u32 in_registers;

void set_stack(u32 t) {
  stack_low = stacks_at + t * stack_bytes;
  stack_high = stack_low + stack_bytes;
  in_registers = stack_high - REGISTER_BYTES;
}
u32 stack_top(u32 t) { return stacks_at + (t + 1) * stack_bytes; }

static int is_stack(u32 address) { return address - stacks_at < MOST_THREADS * stack_bytes; }

// The region nearest to an address that is in no region.
static Region* nearest(u32 address) {
  if (address < heap_at || address >= host_at) return region_at(address);
  Region* best = 0;
  u32 best_distance = 1 << 16;
  for (s32 step = -256; step <= 256; ++step) {
    const u32 at = address + (u32)(step * GRANULE);
    if (at < heap_at || at >= host_at) continue;
    Region* r = region_at(at);
    if (!r) continue;
    const u32 distance = address < r->begin ? r->begin - address : address >= r->end ? address - r->end + 1 : 0;
    if (distance < best_distance) best = r, best_distance = distance;
  }
  return best;
}

__attribute__((noinline)) void outside(u32 address, u32 bytes, u32 site, u32 did) {
  // Just below the thread's own stack: a stack overflow.
  const u32 is_below = stack_low - 1 - address < (is_stack(address) ? stack_bytes : 1 << 24);
  const u32 of_host = address >= host_at;
  const u32 next_to = is_stack(address) || of_host ? 0 : region_number(nearest(address));
  find(is_below ? STACK_OVERFLOW : OUT_OF_BOUNDS, address, next_to, me(site, did), 0, bytes, of_host, 0, 0);
  abandon();
}

// Tables of the compiler and of math functions: a GPU has them in its instructions or constants.
static u32 tables_at, tables_end;
HOST("set_tables") void set_tables(u32 begin, u32 end) { tables_at = begin, tables_end = least(end, stacks_at); }
// r: the last region that begins at or before the address. The linker's range of the tables is not a
// sufficient test: memory in a region or on a stack can be written.
static int is_readable(const Region* r, u32 address, u32 bytes) {
  if ((r && address < r->end) || region_at(address + bytes - 1) != r) return 0;
  return address - parameters_at < parameter_bytes || (address >= tables_at && address + bytes <= tables_end);
}

__attribute__((noinline)) static void misaligned(u32 address, u32 bytes, u32 region, u32 site, u32 did) {
  find(MISALIGNED, address, region, me(site, did), 0, bytes, 0, 0, 0);
  abandon();
}

// Fill newly used stack with NaN: a thread must not rely on unwritten local memory, not even on zeros.
static void reach_down(u32 address) {
  if (address >= lowest) return;
  fill(address, 0xff, lowest - address);
  lowest = address;
}

// What agents must know of a thread's access to shared memory.
__attribute__((noinline)) static void note_shared(Region* r, u32 address, u32 bytes, u32 did, u32 site) {
  touch_barrier(address, bytes, did, site);
  if (did == READS) { ++work_count; return; }
  note_store(r, address, bytes, site);
  if (r->swizzles) forget_swizzles(r, address, bytes);
}

// For what the checker itself keeps in a thread's local variables.
u32 is_on_own_stack(u32 address, u32 bytes) {
  if (address - stack_low > stack_high - stack_low - bytes) return 0;
  if (is_watched) reach_down(address);
  return 1;
}

// Check one access of at most 16 bytes that is no wider than its alignment. how: RELAXED, OF_BLOCK, LOADS, or BLIND
// for an atomic store, which reads nothing.
enum { BLIND = 1 << 8 };
static void one(u32 address, u32 bytes, u32 did, u32 site, u32 how) {
  last_site = site;
  Region* r = region_at(address);
  if (!r || !r->live || address < r->begin || address + bytes > r->end) {
    if (did == READS && is_readable(r, address, bytes)) return;
    outside(address, bytes, site, did);
  }
  if (address & (bytes - 1)) misaligned(address, bytes, region_number(r), site, did);
  if (r->space == CONSTANT) {
    if (did != READS) {
      find(READ_ONLY, address, region_number(r), me(site, did), 0, bytes, 0, 0, 0);
      abandon();
    }
    traffic(site, address, bytes, CONSTANT, did, thread % WARP);
    return;
  }
  if (did != WRITES && !(how & BLIND) && r->written && !is_written(r, address, bytes)) {
    find(r->space == SHARED ? UNINITIALIZED_SHARED : UNINITIALIZED_GLOBAL, address, region_number(r), me(site, did), 0, bytes, 0, 0, 0);
  }
  traffic(site, address, bytes, r->space, did, thread % WARP);
  if (has_agents && r->space == SHARED) note_shared(r, address, bytes, did, site);
  race(r, address, bytes, did | (how & 0xff), site);
  r->used |= did == READS ? 2 : 1;
  if (did != READS) set_written(r, address, bytes);
}

// The address of the volatile access that comes next. It is a relaxed one in terms of PTX: no race with atomics
// and other volatile accesses; but a write only behind a fence, as in `__threadfence(); flag = 1;`. Without one
// it is far more often meant to share data without a barrier.
static u32 volatile_at = ~0u;
PROGRAM("volatile") void next_is_volatile(u32 address) { volatile_at = address; }

// Sites that read one address again and again, waiting for another value. Only there may such a write follow the
// read: anywhere else it overwrites what the reader may not have read yet.
u8 polls[MOST_SITES];
static struct { u32 address, site; } polled[MOST_THREADS];
void forget_polling(u32 t) { polled[t].address = ~0u; }
static void note_polling(u32 address, u32 site) {
  if (polled[thread].address == address && polled[thread].site == site) polls[site] = 1;
  polled[thread].address = address;
  polled[thread].site = site;
}

// info: bytes | write << 5 | log2 of the promised alignment << 6 | site << 9
PROGRAM("access") void access(u32 base, u32 offset, u32 info) {
  const u32 bytes = info & 31, address = base + offset, aligned = least(1u << (info >> 6 & 7), bytes);
  if (address - stack_low <= stack_high - stack_low - bytes) {
    if (address & (aligned - 1)) misaligned(address, aligned, 0, info >> 9, info & 32 ? WRITES : READS);
    reach_down(address);
    if (has_accumulators) touch_accumulators(address, bytes, info & 32 ? WRITES : READS, info >> 9);
    local_traffic(info >> 9, bytes, info & 32 ? WRITES : READS, address >= in_registers);
    return;
  }
  if (in_doubt) settle();
  const u32 did = info & 32 ? WRITES : READS, site = info >> 9;
  if (address < offset) outside(0xffffffff, bytes, site, did);
  u32 relaxed = 0;
  if (address == volatile_at) {
    volatile_at = ~0u;
    if (aligned == bytes && (did == READS || has_fence())) relaxed = RELAXED;
    if (relaxed && did == READS) note_polling(address, site); else forget_polling(thread);
  }
  for (u32 i = 0; i < bytes; i += aligned) one(address + i, aligned, did, site, relaxed);
  if (relaxed) synchronize_through(address, did == WRITES, 0);
}

// info: write | site << 1
PROGRAM("range") void range(u32 base, u32 bytes, u32 info) {
  if (!bytes) return;
  if (bytes <= stack_high - stack_low && base - stack_low <= stack_high - stack_low - bytes) {
    reach_down(base);
    if (has_accumulators) touch_accumulators(base, bytes, info & 1 ? WRITES : READS, info >> 1);
    local_traffic(info >> 1, bytes, info & 1 ? WRITES : READS, base >= in_registers);
    return;
  }
  if (in_doubt) settle();
  const u32 did = info & 1 ? WRITES : READS, site = info >> 1, step = (base | bytes) & 3 ? 1 : 4;
  if (base + bytes < base) outside(0xffffffff, 1, site, did);
  for (u32 i = 0; i < bytes; i += step) one(base + i, step, did, site, 0);
}

PROGRAM("space") u32 space_of(u32 address) {
  if (is_stack(address)) return LOCAL;
  const Region* r = region_at(address);
  return r ? r->space : ELSEWHERE;
}

// --- asynchronous copies -------------------------------------------------------------------------------

// Check the read in steps that the copy's destination allows: words, or one access of the copy's width.
void read_to_copy(u32 address, u32 bytes, u32 site) {
  if (in_doubt) settle();
  const u32 step = bytes & 3 ? 1 : bytes & (bytes - 1) ? 4 : bytes;
  for (u32 i = 0; i < bytes; i += step) one(address + i, step, READS, site, 0);
}

void begin_copy(u32 address, u32 bytes, u32 site) {
  if (in_doubt) settle();
  one(address, bytes, WRITES, site, 0);
  Region* r = region_at(address);
  for (u32 i = address - r->begin; i < address - r->begin + bytes; ++i) r->written[i / 8] &= (u8)~(1u << (i % 8));
}

void end_copy(u32 address, u32 bytes, u32 site, u32 is_overlapped) {
  if (in_doubt) settle();
  Region* r = region_at(address);
  race(r, address, bytes, WRITES, site);
  set_written(r, address, bytes);
  if (is_overlapped) overlapped_traffic(site, bytes);
}

// --- atomics -------------------------------------------------------------------------------------------

enum update {
  READ_ONLY_UPDATE, WRITE_UPDATE, EXCHANGE, CAS, ADD_INT, SUB_INT, ADD_FLOAT, MIN_SIGNED, MAX_SIGNED,
  MIN_UNSIGNED, MAX_UNSIGNED, AND_BITS, OR_BITS, XOR_BITS, INC, DEC,
};
static u32 in_a_row;
enum { ATOMICS_BEFORE_WAITING = 64 };

static u64 next_value(u32 op, u32 bytes, u64 old, u64 value, u64 expected) {
  const s64 a = bytes == 8 ? (s64)old : (s32)old, b = bytes == 8 ? (s64)value : (s32)value;
  union { u64 bits; double d; float f; } x = {old}, y = {value};
  switch (op) {
    case READ_ONLY_UPDATE: return old;
    case WRITE_UPDATE: case EXCHANGE: return value;
    case CAS: return old == expected ? value : old;
    case ADD_INT: return old + value;
    case SUB_INT: return old - value;
    case ADD_FLOAT:
      if (bytes == 8) x.d += y.d; else { const float sum = x.f + y.f; x.bits = 0; x.f = sum; }
      return x.bits;
    case MIN_SIGNED: return a < b ? old : value;
    case MAX_SIGNED: return a < b ? value : old;
    case MIN_UNSIGNED: return old < value ? old : value;
    case MAX_UNSIGNED: return old < value ? value : old;
    case AND_BITS: return old & value;
    case OR_BITS: return old | value;
    case XOR_BITS: return old ^ value;
    case INC: return old >= value ? 0 : old + 1;
    case DEC: return old == 0 || old > value ? value : old - 1;
    default: __builtin_trap();
  }
}

// op: an update | order << 8
PROGRAM("atomic") u64 atomic(u32 op, u32 address, u32 bytes, u64 value, u64 expected, u32 site) {
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) __builtin_trap();
  const u32 order = op >> 8, is_local = address - stack_low <= stack_high - stack_low - bytes;
  op &= 0xff;
  if (is_local) {
    reach_down(address);
    if (has_accumulators) touch_accumulators(address, bytes, UPDATES, site);
  } else if (is_watched) {
    if (in_doubt) settle();
    const u32 scope = order & BLOCK_SCOPE ? OF_BLOCK : 0;
    one(address, bytes, UPDATES, site, scope | (op == WRITE_UPDATE ? BLIND : op == READ_ONLY_UPDATE ? LOADS : 0));
    if (op == CAS && value != expected) swaps(region_at(address), address);
  }
  const u64 mask = bytes == 8 ? ~0ull : (1ull << bytes * 8) - 1;
  const u64 old = load(address, bytes);
  store(address, bytes, next_value(op, bytes, old, value & mask, expected & mask));
  const u32 wrote = op != READ_ONLY_UPDATE && (op != CAS || old == (expected & mask));
  if (is_watched && !is_local) synchronize_through(address, wrote, order);
  return old;
}
PROGRAM("spins") u32 spins(void) { return ++in_a_row >= ATOMICS_BEFORE_WAITING; }
PROGRAM("fence") void fence(u32 is_of_block) { if (is_watched) fence_of_thread(is_of_block != 0); }

// used: bytes of a fresh thread's stack that hold its parameters; all bytes if accesses are not reported.
static u32 lows[MOST_THREADS], last;
void begin_thread(u32 t, u32 is_fresh, u32 used) {
  lows[last] = lowest;
  set_stack(t);
  lowest = is_fresh ? stack_high - used : lows[t];
  last = t;
  in_a_row = 0;
  begin_thread_wgmma(t);
}
// What lies deeper on a thread's stack belonged to another thread.
void forget_below(u32 t, u32 address) {
  lows[t] = address;
  if (t == last) lowest = address;
}
