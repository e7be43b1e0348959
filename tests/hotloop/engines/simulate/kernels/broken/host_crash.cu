// expect: crash -
// Host code that uses a pointer to nothing.
#include "../check.h"

int* find(std::vector<int>& values, int wanted) {
  for (int& value : values) {
    if (value == wanted) return &value;
  }
  return nullptr;
}

int main(int argc, char**) {
  std::vector<int> values(4, argc);
  int* const found = find(values, 7);
  *found = 1;
  std::printf("%d\n", values[0]);
  return 0;
}
