__global__ void scale(float* x) {
  __shared__ float tile[20000];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = tile[threadIdx.x + 1];
}
