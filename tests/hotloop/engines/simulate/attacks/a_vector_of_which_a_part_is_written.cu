// found: uninitialized_shared
// A read of a vector of which one element was written: a maximum passes over the NaN of the others.
__global__ void k(float* x) {
  __shared__ float4 s[32];
  s[threadIdx.x].x = 1;
  __syncthreads();
  const float4 v = s[31 - threadIdx.x];
  x[threadIdx.x] = fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w));
}
