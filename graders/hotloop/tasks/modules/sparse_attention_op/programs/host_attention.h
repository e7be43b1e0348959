// The paper's operator in plain C++, on memory of the host. Given: slow, clear, dense.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

// q, k, v, out: [batch, heads, length, depth], contiguous. threshold: [heads].
inline void host_attention(float const* q, float const* k, float const* v, float const* threshold,
                           float* out, int64_t batch, int64_t heads, int64_t length, int64_t depth,
                           int64_t block, bool causal) {
  int64_t const blocks = (length + block - 1) / block;
  double const scale = 1.0 / std::sqrt(static_cast<double>(depth));
  auto dot = [depth](auto const* a, auto const* b) {
    double sum = 0.0;
    for (int64_t d = 0; d < depth; ++d) sum += static_cast<double>(a[d]) * b[d];
    return sum;
  };
  auto means = [&](float const* x) {
    std::vector<double> found(blocks * depth, 0.0);
    for (int64_t row = 0; row < length; ++row) {
      int64_t const at = row / block;
      double const count = static_cast<double>(std::min(block, length - at * block));
      for (int64_t d = 0; d < depth; ++d) found[at * depth + d] += x[row * depth + d] / count;
    }
    return found;
  };
  std::vector<double> weights(length), sums(depth);
  for (int64_t plane = 0; plane < batch * heads; ++plane) {
    int64_t const start = plane * length * depth;
    float const *queries = q + start, *keys = k + start, *values = v + start;
    std::vector<double> const of_q = means(queries), of_k = means(keys);
    for (int64_t row = 0; row < length; ++row) {
      double highest = -std::numeric_limits<double>::infinity();
      for (int64_t key = 0; key < length; ++key) {
        double const gate = dot(&of_q[row / block * depth], &of_k[key / block * depth]) * scale;
        bool const seen = gate >= threshold[plane % heads] && !(causal && key > row);
        weights[key] = seen ? dot(queries + row * depth, keys + key * depth) * scale
                            : -std::numeric_limits<double>::infinity();
        highest = std::max(highest, weights[key]);
      }
      double total = 0.0;
      std::fill(sums.begin(), sums.end(), 0.0);
      for (int64_t key = 0; key < length; ++key) {
        if (std::isinf(weights[key])) continue;
        double const share = std::exp(weights[key] - highest);
        total += share;
        for (int64_t d = 0; d < depth; ++d) sums[d] += share * values[key * depth + d];
      }
      for (int64_t d = 0; d < depth; ++d)
        out[start + row * depth + d] = static_cast<float>(total > 0.0 ? sums[d] / total : 0.0);
    }
  }
}
