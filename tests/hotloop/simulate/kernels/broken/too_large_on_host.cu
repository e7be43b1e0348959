// expect: out_of_memory -
// More memory than the simulator's host code has, and then a write to the null pointer.
#include "../check.h"

int main() {
  float* const values = static_cast<float*>(std::malloc(3u << 30));
  for (int i = 0; i < 100; ++i) values[i] = 1;
  std::printf("%g\n", values[99]);
  return 0;
}
