// refused
// Atomics of WebAssembly's.
__global__ void k(float* x) { *x = __builtin_wasm_memory_atomic_notify((int*)x, 1); }
