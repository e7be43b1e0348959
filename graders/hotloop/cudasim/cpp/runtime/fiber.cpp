#include "fiber.h"

#include <sys/mman.h>

#include <cstring>

namespace cudasim {

bool Stacks::reserve(size_t count) {
  if (count <= count_) return true;
  if (base_) munmap(base_, count_ * kStride);
  void* memory = mmap(nullptr, count * kStride, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    base_ = nullptr;
    count_ = 0;
    return false;
  }
  base_ = static_cast<char*>(memory);
  count_ = count;
  for (size_t i = 0; i < count; ++i) mprotect(base_ + i * kStride, kGuard, PROT_NONE);
  return true;
}

bool Stacks::guards(uintptr_t address) const {
  const auto base = reinterpret_cast<uintptr_t>(base_);
  return base_ && address >= base && address < base + count_ * kStride &&
         (address - base) % kStride < kGuard;
}

#if defined(__x86_64__)

// System V: rbx, rbp and r12 to r15 belong to the caller; all else is the callee's to spoil.
asm(R"(
.text
.globl cudasim_switch
.hidden cudasim_switch
.type cudasim_switch, @function
cudasim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cudasim_switch, .-cudasim_switch
)");

void* prepare_stack(char* bottom, size_t bytes, void (*entry)()) {
  // As after a call: the stack is 8 bytes below a multiple of 16 when `entry` begins.
  auto** top = reinterpret_cast<void**>(bottom + bytes) - 1;
  *top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  top -= 6;
  std::memset(top, 0, 6 * sizeof(void*));
  return top;
}

#elif defined(__aarch64__)

// AAPCS64: x19 to x30 and the low halves of v8 to v15 belong to the caller.
asm(R"(
.text
.globl cudasim_switch
.hidden cudasim_switch
.type cudasim_switch, %function
cudasim_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size cudasim_switch, .-cudasim_switch
)");

void* prepare_stack(char* bottom, size_t bytes, void (*entry)()) {
  char* top = bottom + bytes - 160;
  std::memset(top, 0, 160);
  const auto address = reinterpret_cast<uintptr_t>(entry);
  std::memcpy(top + 88, &address, sizeof address);  // x30, where `ret` goes
  return top;
}

#else
#error "cudasim switches fibers on x86-64 and aarch64 only"
#endif

}  // namespace cudasim
