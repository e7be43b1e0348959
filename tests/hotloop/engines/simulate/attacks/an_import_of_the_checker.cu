// refused
// An import of the checker's.
extern "C" __device__ __attribute__((import_module("checker"), import_name("recover"))) void recover();
__global__ void k(float* x) { recover(); *x = 1; }
