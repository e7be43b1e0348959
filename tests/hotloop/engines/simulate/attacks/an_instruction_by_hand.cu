// counted: 128
// An instruction by hand.
__global__ void k(float* x) {
  asm volatile("local.get %0\ni32.const 1\ni32.store 0" : : "r"(x + threadIdx.x) : "memory");
}
