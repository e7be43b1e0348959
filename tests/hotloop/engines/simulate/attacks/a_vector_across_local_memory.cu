// found: misaligned
// A vector load from local memory at an address that is no multiple of 16.
__global__ void k(float* x) {
  alignas(16) float mine[36];
  for (int i = 0; i < 36; ++i) mine[i] = x[i];
  const float4 v = *(const float4*)(mine + 1 + (int)x[40]);
  x[threadIdx.x] = v.x;
}
