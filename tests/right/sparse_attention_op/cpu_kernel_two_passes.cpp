// A query's scores in a vector, then the maximum, the weights, and the sums, in three loops over the listed tokens.
// ### BEGIN SOLUTION sparse_attention_op.cpu_kernel
extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  const int64_t blocks = (length + block - 1) / block;
  const double scale = 1.0 / std::sqrt(static_cast<double>(depth));
  std::vector<float> scores;
  std::vector<int64_t> tokens;
  for (int64_t p = 0; p < planes; ++p) {
    for (int64_t i = 0; i < blocks; ++i) {
      const int32_t* list = columns + (p * blocks + i) * blocks;
      const int32_t count = counts[p * blocks + i];
      for (int64_t m = i * block; m < std::min((i + 1) * block, length); ++m) {
        const float* query = q + (p * length + m) * depth;
        float* result = out + (p * length + m) * depth;
        tokens.clear();
        for (int32_t at = 0; at < count; ++at) {
          for (int64_t n = list[at] * block; n < std::min((list[at] + 1) * block, length); ++n) {
            if (!causal || n <= m) tokens.push_back(n);
          }
        }
        std::fill(result, result + depth, 0.0f);
        if (tokens.empty()) continue;
        scores.resize(tokens.size());
        for (size_t t = 0; t < tokens.size(); ++t) {
          const float* key = k + (p * length + tokens[t]) * depth;
          double dot = 0.0;
          for (int64_t d = 0; d < depth; ++d) dot += static_cast<double>(query[d]) * key[d];
          scores[t] = static_cast<float>(dot * scale);
        }
        const float top = *std::max_element(scores.begin(), scores.end());
        float total = 0.0f;
        for (float& s : scores) total += s = std::exp(s - top);
        for (size_t t = 0; t < tokens.size(); ++t) {
          const float share = scores[t] / total;
          const float* value = v + (p * length + tokens[t]) * depth;
          for (int64_t d = 0; d < depth; ++d) result[d] += share * value[d];
        }
      }
    }
  }
}
// ### END SOLUTION
