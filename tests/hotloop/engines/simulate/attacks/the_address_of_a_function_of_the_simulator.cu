// refused
// The address of a function of the simulator's.
__global__ void k(float* x) { unsigned (*volatile f)(unsigned) = hotloop_index; *x = f(0); }
