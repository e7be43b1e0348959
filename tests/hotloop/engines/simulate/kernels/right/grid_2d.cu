// A box blur on a grid of two dimensions, in memory with a pitch.
#include "../check.h"

__global__ void blur(const float* in, float* out, size_t pitch, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  int count = 0;
  for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); ++v) {
    const float* row = reinterpret_cast<const float*>(reinterpret_cast<const char*>(in) + v * pitch);
    for (int u = max(x - 1, 0); u <= min(x + 1, width - 1); ++u, ++count) sum += row[u];
  }
  reinterpret_cast<float*>(reinterpret_cast<char*>(out) + y * pitch)[x] = sum / count;
}

int main() {
  const int width = 45, height = 21;
  std::vector<float> in(width * height), out(width * height);
  for (int i = 0; i < width * height; ++i) in[i] = i % 16;
  float *din, *dout;
  size_t pitch;
  const size_t row = width * sizeof(float);
  CHECK(cudaMallocPitch(&din, &pitch, row, height));
  CHECK(cudaMallocPitch(&dout, &pitch, row, height));
  CHECK(cudaMemcpy2D(din, pitch, in.data(), row, row, height, cudaMemcpyHostToDevice));
  const dim3 block(16, 8), grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  blur<<<grid, block>>>(din, dout, pitch, width, height);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy2D(out.data(), row, dout, pitch, row, height, cudaMemcpyDeviceToHost));
  bool right = true;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      int count = 0;
      for (int v = y - 1; v <= y + 1; ++v) {
        for (int u = x - 1; u <= x + 1; ++u) {
          if (v < 0 || v >= height || u < 0 || u >= width) continue;
          sum += in[v * width + u];
          ++count;
        }
      }
      right &= out[y * width + x] == sum / count;
    }
  }
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  return verdict(right);
}
