// Structs with padding, written by their members and copied as a whole: nobody writes the padding.
#include "../check.h"

struct Entry {
  char tag;
  int key;
  double value;
  short count;
};

__global__ void reverse(const Entry* in, Entry* out) {
  __shared__ Entry s[32];
  const int t = threadIdx.x;
  s[t].tag = in[t].tag;
  s[t].key = in[t].key;
  s[t].value = in[t].value;
  s[t].count = in[t].count;
  __syncthreads();
  out[t] = s[31 - t];
}

int main() {
  std::vector<Entry> in(32), out(32);
  for (int i = 0; i < 32; ++i) {
    in[i] = {static_cast<char>(i), 2 * i, 0.5 * i, static_cast<short>(i)};
  }
  Entry *din, *dout;
  CHECK(cudaMalloc(&din, 32 * sizeof(Entry)));
  CHECK(cudaMalloc(&dout, 32 * sizeof(Entry)));
  CHECK(cudaMemcpy(din, in.data(), 32 * sizeof(Entry), cudaMemcpyHostToDevice));
  reverse<<<1, 32>>>(din, dout);
  CHECK_LAUNCH();
  CHECK(cudaMemcpy(out.data(), dout, 32 * sizeof(Entry), cudaMemcpyDeviceToHost));
  CHECK(cudaFree(din));
  CHECK(cudaFree(dout));
  bool right = true;
  for (int i = 0; i < 32; ++i) right &= out[i].key == in[31 - i].key && out[i].count == 31 - i;
  return verdict(right);
}
