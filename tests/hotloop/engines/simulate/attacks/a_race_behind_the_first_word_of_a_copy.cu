// found: race
// All threads copy an object to one place; only its first word is the same in all of them.
struct Wide { float of[128]; };
__global__ void k(float* x) {
  __shared__ Wide s;
  Wide mine;
  for (int i = 0; i < 128; ++i) mine.of[i] = i ? threadIdx.x * (i + x[i]) + threadIdx.x : 5;
  s = mine;
  __syncthreads();
  x[threadIdx.x] = s.of[0];
}
