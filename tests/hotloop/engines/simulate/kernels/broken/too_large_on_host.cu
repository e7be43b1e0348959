// expect: out_of_memory -
// malloc fails because the simulator has 2 GiB for host code; the program writes at the null pointer.
#include "../check.h"

int main() {
  float* const values = static_cast<float*>(std::malloc(3u << 30));
  for (int i = 0; i < 100; ++i) values[i] = 1;
  std::printf("%g\n", values[99]);
  return 0;
}
