// expect: failed_call 7
// No GPU has so much memory, and nobody asks what the call returned.
#include "../check.h"

int main() {
  int* memory = nullptr;
  cudaMalloc(&memory, 4ull << 45);
  return memory ? 1 : 0;
}
