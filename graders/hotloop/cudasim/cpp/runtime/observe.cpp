// Sees every access of an instrumented program, because this file is its sanitizer runtime: the
// program is compiled with -fsanitize=thread, which calls a function before each access, and these
// are the functions. UBSan's calls for bounds and alignment end here as well.

#include <math.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "findings.h"
#include "memory.h"
#include "race.h"
#include "scheduler.h"
#include "shared.h"
#include "traffic.h"

namespace cudasim {
namespace {

const char* verb(cudasim_access kind) {
  switch (kind) {
    case CUDASIM_READ: return "Reads";
    case CUDASIM_WRITE: return "Writes";
    case CUDASIM_ATOMIC: return "Updates";
  }
  return "";
}

Finding finding_at(const char* kind, std::string text, Pc pc, cudasim_access did) {
  Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.kernel = current_kernel();
  finding.witnesses = {{pc, name_of(did), running != nullptr, current_place()}};
  return finding;
}

// Where an address is that no region holds.
std::string whereabouts(uintptr_t address, std::vector<Witness>& witnesses) {
  if (address - reinterpret_cast<uintptr_t>(cudasim_dynamic_shared) < kSharedAtMost &&
      !dynamic_shared_bytes()) {
    return "of dynamic shared memory, and the launch asks for none: that is its third argument";
  }
  const Region* region = memory().nearest(address);
  if (!region || address + 65536 < region->begin || address > region->end + 65536) {
    if (address < 4096) return "at the null pointer";
    if (memory().is_device(address)) return "in device memory that is not allocated";
    return "in memory of the host, which a kernel cannot reach";
  }
  const std::string what =
      format("%s of %zu bytes", region->what, region->size()) +
      (region->name.empty() ? "" : " `" + region->name + "`");
  if (region->made_at) witnesses.push_back({region->made_at, "allocated", false, {}});
  if (!region->live && address < region->end) {
    witnesses.push_back({region->freed_at, "freed", false, {}});
    return "in the " + what + ", which was freed";
  }
  if (address >= region->end) {
    const size_t behind = address - region->end;
    if (behind == 0) return "right behind the end of the " + what;
    return format("%zu bytes behind the end of the ", behind) + what;
  }
  return format("%zu bytes before the ", static_cast<size_t>(region->begin - address)) + what;
}

[[noreturn]] void out_of_bounds(uintptr_t address, size_t bytes, cudasim_access kind, Pc pc) {
  std::vector<Witness> more;
  const std::string where = whereabouts(address, more);
  Finding finding = finding_at(
      "out_of_bounds", format("%s %zu bytes %s.", verb(kind), bytes, where.c_str()), pc, kind);
  finding.witnesses.insert(finding.witnesses.end(), more.begin(), more.end());
  findings().add(std::move(finding));
  abandon(Failure::IllegalAddress);
}

void uninitialised(const Region& region, uintptr_t address, size_t bytes, cudasim_access kind,
                   Pc pc) {
  const bool shared = region.space == Space::Shared;
  findings().add(finding_at(shared ? "uninitialised_shared" : "uninitialised_global",
                            format("%s %zu bytes at %s, which nobody has written.", verb(kind),
                                   bytes, describe(region, address).c_str()),
                            pc, kind));
}

void on_host(uintptr_t address, cudasim_access kind, Pc pc) {
  if (memory().is_device(address)) {
    findings().add(finding_at(
        "host_access",
        format("%s device memory from host code: copy it with cudaMemcpy first.", verb(kind)), pc,
        kind));
    return;  // the access itself follows and faults, as it would with a GPU
  }
  const Region* region = memory().find(address);
  if (!region || !region->of_device) return;
  findings().add(finding_at(
      "host_access",
      format("%s the %s `%s` from host code, which has a copy of its own: use cudaMemcpyToSymbol "
             "or cudaMemcpyFromSymbol.",
             verb(kind), region->what, region->name.c_str()),
      pc, kind));
}

// Set by the first instrumented file. Without one only atomics would be seen: nothing is observed.
bool instrumented = false;

void observe(const void* where, size_t bytes, cudasim_access kind, Pc pc) {
  const auto address = reinterpret_cast<uintptr_t>(where);
  if (!instrumented) return;
  if (!running) {
    on_host(address, kind, pc);
    return;
  }
  if (is_private(address)) return;
  const Busy busy;
  if (in_doubt) races().settle();
  last_pc = pc;
  Region* region = memory().find(address);
  if (!region) {
    if (kind == CUDASIM_READ && is_read_only_data(address)) return;
    out_of_bounds(address, bytes, kind, pc);
  }
  if (!region->holds(address, bytes)) out_of_bounds(region->end, address + bytes - region->end, kind, pc);
  if (kind == CUDASIM_READ || kind == CUDASIM_ATOMIC) {
    if (!region->is_written(address)) uninitialised(*region, address, bytes, kind, pc);
  }
  if (kind != CUDASIM_READ) region->set_written(address, bytes);
  const uint32_t site = traffic().site(pc, region->space, kind);
  traffic().access(site, address, bytes, *running, live_lanes(running->warp));
  if (region->space == Space::Constant) return;
  races().access(*region, address, bytes, kind, site, *running);
  if (kind == CUDASIM_ATOMIC) races().synchronise_through(address, *running);
}

void observe_range(const void* where, size_t bytes, cudasim_access kind, Pc pc) {
  if (bytes) observe(where, bytes, kind, pc);
}

// How many values a format prints; -1 for one that a kernel's printf does not know. %n is among
// those: it stores through a pointer.
int conversions(const char* format) {
  int count = 0;
  for (const char* at = strchr(format, '%'); at; at = strchr(at, '%')) {
    ++at;
    at += strspn(at, "-+ #0");
    at += strspn(at, "0123456789*");
    if (*at == '.') at += 1 + strspn(at + 1, "0123456789*");
    at += strspn(at, "hlzjt");
    if (!*at || !strchr("%diouxXcsfFeEgGaAp", *at)) return -1;
    count += *at++ != '%';
  }
  return count;
}

[[noreturn]] void unknown_format(Pc pc) {
  Finding finding = finding_at(
      "unsupported", "A kernel's printf knows %d, %u, %x, %o, %c, %s, %p, %a, %e, %f, %g and %%.",
      pc, CUDASIM_WRITE);
  findings().add(std::move(finding));
  abandon(Failure::LaunchFailure);
}

}  // namespace
}  // namespace cudasim

using cudasim::observe;
using cudasim::observe_range;

extern "C" {

void cudasim_note(const void* address, size_t size, cudasim_access kind) {
  if (cudasim::running) cudasim::let_others_run();
  observe(address, size, kind, __builtin_return_address(0));
}

// --- the interface of -fsanitize=thread ------------------------------------------------------

#define CUDASIM_HOOK(size)                                                                       \
  void __tsan_read##size(void* at) {                                                             \
    observe(at, size, CUDASIM_READ, __builtin_return_address(0));                                \
  }                                                                                              \
  void __tsan_write##size(void* at) {                                                            \
    observe(at, size, CUDASIM_WRITE, __builtin_return_address(0));                               \
  }                                                                                              \
  void __tsan_unaligned_read##size(void* at) {                                                   \
    observe(at, size, CUDASIM_READ, __builtin_return_address(0));                                \
  }                                                                                              \
  void __tsan_unaligned_write##size(void* at) {                                                  \
    observe(at, size, CUDASIM_WRITE, __builtin_return_address(0));                               \
  }                                                                                              \
  void __tsan_volatile_read##size(void* at) {                                                    \
    if (cudasim::running) cudasim::let_others_run();                                             \
    observe(at, size, CUDASIM_READ, __builtin_return_address(0));                                \
  }                                                                                              \
  void __tsan_volatile_write##size(void* at) {                                                   \
    observe(at, size, CUDASIM_WRITE, __builtin_return_address(0));                               \
  }                                                                                              \
  void __tsan_unaligned_volatile_read##size(void* at) {                                          \
    if (cudasim::running) cudasim::let_others_run();                                             \
    observe(at, size, CUDASIM_READ, __builtin_return_address(0));                                \
  }                                                                                              \
  void __tsan_unaligned_volatile_write##size(void* at) {                                         \
    observe(at, size, CUDASIM_WRITE, __builtin_return_address(0));                               \
  }

CUDASIM_HOOK(1)
CUDASIM_HOOK(2)
CUDASIM_HOOK(4)
CUDASIM_HOOK(8)
CUDASIM_HOOK(16)
#undef CUDASIM_HOOK

void __tsan_read_range(void* at, size_t size) {
  observe_range(at, size, CUDASIM_READ, __builtin_return_address(0));
}
void __tsan_write_range(void* at, size_t size) {
  observe_range(at, size, CUDASIM_WRITE, __builtin_return_address(0));
}
void __tsan_init() { cudasim::instrumented = true; }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

// What an instrumented program calls in place of the C library's functions.

void* cudasim_memcpy(void* to, const void* from, size_t size) {
  observe_range(from, size, CUDASIM_READ, __builtin_return_address(0));
  observe_range(to, size, CUDASIM_WRITE, __builtin_return_address(0));
  return std::memcpy(to, from, size);
}
void* cudasim_memmove(void* to, const void* from, size_t size) {
  observe_range(from, size, CUDASIM_READ, __builtin_return_address(0));
  observe_range(to, size, CUDASIM_WRITE, __builtin_return_address(0));
  return std::memmove(to, from, size);
}
void* cudasim_memset(void* to, int value, size_t size) {
  observe_range(to, size, CUDASIM_WRITE, __builtin_return_address(0));
  return std::memset(to, value, size);
}

// The number of values comes back, as on a GPU: characters would tell of memory that nobody has
// seen being read.
int cudasim_printf(const char* format, ...) {
  const int values = cudasim::running ? cudasim::conversions(format) : 0;
  if (values < 0) cudasim::unknown_format(__builtin_return_address(0));
  va_list arguments;
  va_start(arguments, format);
  const int printed = std::vprintf(format, arguments);
  va_end(arguments);
  return cudasim::running ? values : printed;
}

// Functions of mathematics with a second result, which they store through a pointer.
#define CUDASIM_STORES(function, type, second)                                                   \
  type cudasim_##function(type x, second* to) {                                                  \
    observe(to, sizeof(second), CUDASIM_WRITE, __builtin_return_address(0));                     \
    return function(x, to);                                                                      \
  }
CUDASIM_STORES(modff, float, float)
CUDASIM_STORES(modf, double, double)
CUDASIM_STORES(frexpf, float, int)
CUDASIM_STORES(frexp, double, int)
#undef CUDASIM_STORES

#define CUDASIM_STORES_TWO(function, type)                                                       \
  void cudasim_##function(type x, type* sine, type* cosine) {                                    \
    observe(sine, sizeof(type), CUDASIM_WRITE, __builtin_return_address(0));                     \
    observe(cosine, sizeof(type), CUDASIM_WRITE, __builtin_return_address(0));                   \
    function(x, sine, cosine);                                                                   \
  }
CUDASIM_STORES_TWO(sincosf, float)
CUDASIM_STORES_TWO(sincos, double)
#undef CUDASIM_STORES_TWO

// --- the interface of -fsanitize=bounds,alignment --------------------------------------------

struct SourceLocation {
  const char* file;
  uint32_t line;
  uint32_t column;
};

struct TypeMismatch {
  SourceLocation location;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;
};

struct OutOfBounds {
  SourceLocation location;
  const void* array_type;
  const void* index_type;
};

static void at_line(const char* kind, std::string text, const SourceLocation& location,
                    const char* did) {
  cudasim::Finding finding;
  finding.kind = kind;
  finding.text = std::move(text);
  finding.kernel = cudasim::current_kernel();
  finding.witnesses = {{nullptr, did, cudasim::running != nullptr, cudasim::current_place()}};
  finding.file = location.file ? location.file : "";
  finding.line = location.line;
  cudasim::findings().add(std::move(finding));
}

void __ubsan_handle_type_mismatch_v1(const TypeMismatch* what, const void* pointer) {
  if (!cudasim::running) return;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  const size_t alignment = size_t{1} << what->log_alignment;
  if (address % alignment == 0) return;  // a null pointer: the access itself will tell
  at_line("misaligned",
          cudasim::format("The address is a multiple of %zu, and this access needs one of %zu.",
                          static_cast<size_t>(address & -address), alignment),
          what->location, "accesses");
  cudasim::abandon(cudasim::Failure::MisalignedAddress);
}

void __ubsan_handle_out_of_bounds(const OutOfBounds* what, const void* index) {
  if (!cudasim::running) return;
  at_line("out_of_bounds",
          cudasim::format("Index %ld lies outside of the array.",
                          static_cast<long>(reinterpret_cast<intptr_t>(index))),
          what->location, "indexes");
  cudasim::abandon(cudasim::Failure::IllegalAddress);
}
}
