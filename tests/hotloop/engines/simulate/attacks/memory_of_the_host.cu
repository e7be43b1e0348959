// found: out_of_bounds
// Memory of the host.
__global__ void k(float* x) { *(float*)0x90000000u = x[0]; }
