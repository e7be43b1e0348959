// refused
// A name of the simulator's with other types.
extern "C" __device__ __attribute__((import_module("cuda"), import_name("atomic"))) int atomic(int);
__global__ void k(float* x) { *x = atomic(1); }
