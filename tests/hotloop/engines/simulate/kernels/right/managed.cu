// Managed memory: host and kernel use the same pointer, with a synchronization between them.
#include "../check.h"

struct List {
  int* values;
  int n;
};

__global__ void add_one(List* list) {
  for (int i = threadIdx.x; i < list->n; i += blockDim.x) list->values[i] += 1;
}

int main() {
  List* list;
  CHECK(cudaMallocManaged(&list, sizeof(List)));
  list->n = 100;
  CHECK(cudaMallocManaged(&list->values, list->n * sizeof(int)));
  for (int i = 0; i < list->n; ++i) list->values[i] = i;
  add_one<<<1, 32>>>(list);
  CHECK_LAUNCH();
  bool right = true;
  for (int i = 0; i < list->n; ++i) right &= list->values[i] == i + 1;
  CHECK(cudaFree(list->values));
  CHECK(cudaFree(list));
  return verdict(right);
}
