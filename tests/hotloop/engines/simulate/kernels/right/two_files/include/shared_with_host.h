#pragma once

constexpr int kCount = 40;

struct Settings {
  int factor, term;
};

__host__ __device__ inline int affine(int x, Settings s) { return x * s.factor + s.term; }

__global__ void scale(int* x, Settings settings);
void run_scale(int* x, const Settings& settings);
