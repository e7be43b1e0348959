// refused
// More memory.
__global__ void k(float* x) { *x = __builtin_wasm_memory_grow(0, 1); }
