// Block by block: a lambda for a tile of scores, all queries of a block share the keys; templates over the depth.
// ### BEGIN SOLUTION sparse_attention_op.cpu_kernel
namespace {

struct Problem {
  const float *q, *k, *v;
  const int32_t *counts, *columns;
  float* out;
  int64_t length, block, blocks;
  bool causal;
};

template <int D>
void plane(const Problem& p, int64_t n) {
  const float *q = p.q + n * p.length * D, *k = p.k + n * p.length * D, *v = p.v + n * p.length * D;
  std::vector<float> high(p.block), total(p.block), sums(p.block * D), tile(p.block);
  for (int64_t i = 0; i < p.blocks; ++i) {
    const int64_t first = i * p.block, rows = std::min(p.block, p.length - first);
    std::fill(high.begin(), high.end(), -INFINITY);
    std::fill(total.begin(), total.end(), 0.0f);
    std::fill(sums.begin(), sums.end(), 0.0f);
    const int32_t* list = p.columns + (n * p.blocks + i) * p.blocks;
    for (const int32_t *j = list, *end = list + p.counts[n * p.blocks + i]; j != end; ++j) {
      const int64_t start = *j * p.block;
      for (int64_t r = 0; r < rows; ++r) {
        int64_t stop = std::min(start + p.block, p.length);
        if (p.causal) stop = std::min(stop, first + r + 1);
        if (stop <= start) continue;
        float query[D];
        std::copy_n(q + (first + r) * D, D, query);
        float top = high[r];
        for (int64_t c = start; c < stop; ++c) {
          float dot = 0.0f;
          for (int d = 0; d < D; ++d) dot += query[d] * k[c * D + d];
          tile[c - start] = dot / std::sqrt(float(D));
          top = std::max(top, tile[c - start]);
        }
        const float shrink = std::exp(high[r] - top);
        float* sum = &sums[r * D];
        for (int d = 0; d < D; ++d) sum[d] *= shrink;
        total[r] *= shrink;
        for (int64_t c = start; c < stop; ++c) {
          const float weight = std::exp(tile[c - start] - top);
          total[r] += weight;
          for (int d = 0; d < D; ++d) sum[d] += weight * v[c * D + d];
        }
        high[r] = top;
      }
    }
    for (int64_t r = 0; r < rows; ++r) {
      float* to = p.out + (n * p.length + first + r) * D;
      for (int d = 0; d < D; ++d) to[d] = total[r] > 0.0f ? sums[r * D + d] / total[r] : 0.0f;
    }
  }
}

}  // namespace

extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  const Problem p{q, k, v, counts, columns, out, length, block, (length + block - 1) / block, causal != 0};
  for (int64_t n = 0; n < planes; ++n) {
    switch (depth) {
      case 16: plane<16>(p, n); break;
      case 32: plane<32>(p, n); break;
      case 64: plane<64>(p, n); break;
      default: plane<128>(p, n); break;
    }
  }
}
// ### END SOLUTION
