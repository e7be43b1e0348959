#include "shared.h"

#include <cstring>

#include "findings.h"
#include "memory.h"
#include "scheduler.h"

alignas(1024) unsigned char cudasim_dynamic_shared[cudasim::kSharedAtMost];

namespace cudasim {
namespace {

// A NaN in every float format, and a number that no index is.
constexpr unsigned char kPoison = 0xff;

void forget(void* begin, size_t size) {
  std::memset(begin, kPoison, size);
  if (Region* region = memory().at(begin)) region->forget_contents();
}

}  // namespace

void Shared::begin_launch(size_t most) {
  ++launch_;
  most_ = most;
  static_bytes_ = 0;
  for (const Variable& known : variables_) {
    if (Region* region = memory().at(known.begin)) region->races.clear();
  }
}

void Shared::begin_block(size_t dynamic) {
  ++block_;
  if (!dynamic) {
    memory().remove(cudasim_dynamic_shared);
    dynamic_bytes_ = 0;
    return;
  }
  if (dynamic != dynamic_bytes_ || !memory().at(cudasim_dynamic_shared)) {
    memory().add(cudasim_dynamic_shared, dynamic, Space::Shared, "dynamic shared memory", "");
    dynamic_bytes_ = dynamic;
  }
  forget(cudasim_dynamic_shared, dynamic);
}

void Shared::declare(void* begin, size_t size, const char* name, Pc at) {
  Variable& found = variable(begin, size, name);
  if (found.block == block_) return;
  found.block = block_;
  forget(begin, size);
  if (found.launch == launch_) return;
  found.launch = launch_;
  static_bytes_ += size;
  if (static_bytes_ <= kSharedWithoutAsking && static_bytes_ + dynamic_shared_bytes() <= most_) {
    return;
  }
  Finding finding;
  finding.kind = "too_much_shared";
  finding.text = format(
      "The kernel has %zu bytes of static and %zu of dynamic shared memory: static variables may "
      "take %zu, and more than that needs extern __shared__ and "
      "cudaFuncAttributeMaxDynamicSharedMemorySize, up to %zu in all.",
      static_bytes_, dynamic_shared_bytes(), kSharedWithoutAsking, kSharedAtMost);
  finding.kernel = current_kernel();
  finding.witnesses = {{at, "declares", false, {}}};
  findings().add(std::move(finding));
  abandon(Failure::InvalidValue);
}

Shared::Variable& Shared::variable(void* begin, size_t size, const char* name) {
  for (Variable& known : variables_) {
    if (known.begin == begin) return known;
  }
  memory().add(begin, size, Space::Shared, "shared variable", name);
  variables_.push_back({begin, size, 0, 0});
  return variables_.back();
}

Shared& shared() {
  static Shared* all = new Shared;
  return *all;
}

}  // namespace cudasim

extern "C" void cudasim_shared(void* variable, size_t size, const char* name) {
  cudasim::shared().declare(variable, size, name, __builtin_return_address(0));
}
