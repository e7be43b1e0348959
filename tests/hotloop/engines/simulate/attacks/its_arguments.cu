// found: out_of_bounds
// Its arguments.
__global__ void k(float* x) { *(float**)0x30000 = x + 1; }
