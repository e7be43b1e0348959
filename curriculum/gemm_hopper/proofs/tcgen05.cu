// The life of an accumulator in tensor memory, for sm_100a. Compiled and read, never run: its descriptors are parameters.
#include <stdint.h>

__global__ void __launch_bounds__(128, 1) life(uint64_t a, uint64_t b, uint32_t kind, float* out) {
  __shared__ alignas(16) uint32_t place;
  __shared__ alignas(8) uint64_t barrier;
  const auto shared = [](const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); };
  if (threadIdx.x < 32) {  // one warp allocates 64 of the 512 columns
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 64;" ::"r"(shared(&place)) : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared(&barrier)) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const uint32_t sums = place;
  if (threadIdx.x == 0) {  // one thread multiplies, and lets the mbarrier know
    asm volatile("{\n.reg .pred adds;\nsetp.ne.b32 adds, 0, 0;\n"
                 "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, adds;\n}\n" ::"r"(sums), "l"(a), "l"(b), "r"(kind) : "memory");
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(shared(&barrier)) : "memory");
  }
  uint32_t done = 0;
  while (!done) {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.b32 %0, 1, 0, p;\n}\n"
                 : "=r"(done) : "r"(shared(&barrier)) : "memory");
  }
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  uint32_t r[4];  // each warp reads its own quarter of the 128 lanes
  asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(sums + (threadIdx.x / 32 << 21)));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = __uint_as_float(r[i]);
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (threadIdx.x < 32) asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 64;" ::"r"(sums));
}
