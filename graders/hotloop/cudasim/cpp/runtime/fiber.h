// Fibers: the stacks on which CUDA threads run, and the switch between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudasim {

// A pool of equal stacks, each above a page that nobody may touch.
class Stacks {
 public:
  static constexpr size_t kBytes = 128 << 10;

  // Grows the pool to `count` stacks. False when the system has no memory for them.
  bool reserve(size_t count);
  char* bottom(size_t index) const { return base_ + index * kStride + kGuard; }
  // True for an address in a guard page: some CUDA thread's stack has overflowed.
  bool guards(uintptr_t address) const;

 private:
  static constexpr size_t kGuard = 4096;
  static constexpr size_t kStride = kBytes + kGuard;

  char* base_ = nullptr;
  size_t count_ = 0;
};

// Prepares a stack so that switching to it calls `entry`, which must not return.
void* prepare_stack(char* bottom, size_t bytes, void (*entry)());

extern "C" {
// Suspends the caller, storing where it stands, and goes on where `to` stands.
void cudasim_switch(void** from, void* to);
}

}  // namespace cudasim
