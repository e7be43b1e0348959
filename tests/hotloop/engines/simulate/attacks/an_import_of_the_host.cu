// refused
// An import of the host's.
extern "C" __device__ __attribute__((import_module("host"), import_name("call"))) unsigned ask(unsigned);
__global__ void k(float* x) { *x = ask(1); }
