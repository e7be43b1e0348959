// Shared memory: one block runs at a time, so that a `__shared__` variable is a static one whose
// contents are forgotten between blocks.
#pragma once

#include <string>
#include <vector>

#include "thread.h"

namespace cudasim {

constexpr size_t kSharedWithoutAsking = 48 << 10;
constexpr size_t kSharedAtMost = 227 << 10;  // a block's, on sm_90, when asked for

class Shared {
 public:
  void begin_launch(size_t most);
  void begin_block(size_t dynamic);
  // A thread has reached the declaration of a static variable.
  void declare(void* variable, size_t size, const char* name, Pc at);
  size_t static_bytes() const { return static_bytes_; }

 private:
  struct Variable {
    void* begin;
    size_t size;
    uint32_t launch;  // in which it counts among the kernel's variables
    uint64_t block;   // whose contents it holds
  };

  Variable& variable(void* begin, size_t size, const char* name);

  std::vector<Variable> variables_;
  uint32_t launch_ = 0;
  uint64_t block_ = 0;
  size_t static_bytes_ = 0;
  size_t dynamic_bytes_ = 0;
  size_t most_ = 0;
};

Shared& shared();

}  // namespace cudasim
