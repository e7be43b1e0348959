// Blackwell's tensor memory and matrix products (tcgen05), for nvcc with sm_100a only: the simulator does not have them.
//
// Each function is one PTX instruction. mbarriers and tensor copies are those of hopper.cuh.
// Source: PTX ISA, "Tensor Memory", "tcgen05", "Instruction descriptor", "Shared memory descriptor".
#pragma once

#include "hotloop/hopper.cuh"

#ifdef HOTLOOP_SIMULATOR
#error "hotloop/blackwell.cuh: the simulator has no tensor memory; compile it with nvcc"
#endif

namespace hotloop {

// By one warp. Tensor memory has 512 columns of 128 lanes of 32 bits; columns: a power of two, at least 32. The address is written
// to shared memory: the column in its low half, the lane in its high half.
HOTLOOP_ASYNC void tmem_alloc(uint32_t* shared, unsigned columns) {
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_address(shared)), "r"(columns) : "memory");
}
// By the same warp: it will not ask for more.
HOTLOOP_ASYNC void tmem_relinquish() { asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;"); }
// By the same warp, before the block ends.
HOTLOOP_ASYNC void tmem_dealloc(uint32_t address, unsigned columns) {
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns));
}

// On both sides of a barrier that orders these instructions of different threads.
HOTLOOP_ASYNC void tmem_fence_before_sync() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }
HOTLOOP_ASYNC void tmem_fence_after_sync() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// An operand in shared memory with rows of 128 bytes along K and a swizzle of 128 bytes. stride: bytes from 8 rows to the next 8.
HOTLOOP_ASYNC uint64_t umma_descriptor(const void* start, unsigned stride) {
  return static_cast<uint64_t>(shared_address(start) >> 4 & 0x3fff) | static_cast<uint64_t>(stride >> 4) << 32 | uint64_t{1} << 46 |
         uint64_t{2} << 61;
}

// Of products of bfloat16 into float32, m × n × 16.
HOTLOOP_ASYNC constexpr uint32_t umma_instruction(unsigned m, unsigned n) { return 1u << 4 | 1u << 7 | 1u << 10 | n / 8 << 17 | m / 16 << 24; }

// By one thread: the sums at d in tensor memory (+)= a · b. It only starts.
HOTLOOP_ASYNC void umma_bf16(uint32_t d, uint64_t a, uint64_t b, uint32_t instruction, bool adds) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %4, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n}\n" ::"r"(d),
               "l"(a), "l"(b), "r"(instruction), "r"(static_cast<int>(adds)) : "memory");
}
// By that thread: an arrival at the mbarrier when all products that it has started are complete.
HOTLOOP_ASYNC void umma_commit(mbarrier* b) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}

// By a warp: 32 columns of its 32 lanes, those from 32 · (warp % 4) on; a thread gets those of its lane. The address names the first one.
HOTLOOP_ASYNC void tmem_load(float (&d)[32], uint32_t address) {
  uint32_t r[32];
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
      "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]), "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7]), "=r"(r[8]), "=r"(r[9]),
        "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13]), "=r"(r[14]), "=r"(r[15]), "=r"(r[16]), "=r"(r[17]), "=r"(r[18]), "=r"(r[19]),
        "=r"(r[20]), "=r"(r[21]), "=r"(r[22]), "=r"(r[23]), "=r"(r[24]), "=r"(r[25]), "=r"(r[26]), "=r"(r[27]), "=r"(r[28]), "=r"(r[29]),
        "=r"(r[30]), "=r"(r[31])
      : "r"(address));
  // The registers may be used behind this wait only, so it belongs to the load here.
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 32; ++i) d[i] = __uint_as_float(r[i]);
}

}  // namespace hotloop
