/*
Computes the scores of all keys first, and takes those that are listed.

fails: cpu_kernel.traffic
*/

// ### BEGIN SOLUTION sparse_attention_op.cpu_kernel
namespace {

// One query's running softmax. `sums` is scaled by the same maximum as `total`.
struct Running {
  float maximum = -std::numeric_limits<float>::infinity();
  float total = 0.0f;
  std::vector<float> sums;
};

// Takes one score and its values in. Sums are rescaled only when the maximum grows.
void take(Running& row, float score, const float* values, int64_t depth) {
  if (score > row.maximum) {
    // exp(-inf) is 0: the first score rescales sums that are 0 already.
    const float old = std::exp(row.maximum - score);
    row.total *= old;
    for (int64_t d = 0; d < depth; ++d) row.sums[d] *= old;
    row.maximum = score;
  }
  const float share = std::exp(score - row.maximum);
  row.total += share;
  for (int64_t d = 0; d < depth; ++d) row.sums[d] += share * values[d];
}

}  // namespace

extern "C" void attend(const float* q, const float* k, const float* v, const int32_t* counts,
                       const int32_t* columns, float* out, int64_t planes, int64_t length,
                       int64_t depth, int64_t block, int32_t causal) {
  const int64_t blocks = (length + block - 1) / block;
  const float scale = 1.0f / std::sqrt(static_cast<float>(depth));
  Running row;
  std::vector<float> scores(length);
  for (int64_t plane = 0; plane < planes; ++plane) {
    const float* keys = k + plane * length * depth;
    const float* values = v + plane * length * depth;
    for (int64_t query = 0; query < length; ++query) {
      const int64_t at = plane * length + query;
      const int64_t list = plane * blocks + query / block;
      for (int64_t key = 0; key < length; ++key) {
        float score = 0.0f;
        for (int64_t d = 0; d < depth; ++d) score += q[at * depth + d] * keys[key * depth + d];
        scores[key] = score * scale;
      }
      row.maximum = -std::numeric_limits<float>::infinity();
      row.total = 0.0f;
      row.sums.assign(depth, 0.0f);
      for (int32_t place = 0; place < counts[list]; ++place) {
        const int64_t first = columns[list * blocks + place] * block;
        int64_t end = std::min(first + block, length);
        if (causal) end = std::min(end, query + 1);
        for (int64_t key = first; key < end; ++key) {
          take(row, scores[key], values + key * depth, depth);
        }
      }
      const float total = row.total > 0.0f ? row.total : 1.0f;
      for (int64_t d = 0; d < depth; ++d) out[at * depth + d] = row.sums[d] / total;
    }
  }
}
// ### END SOLUTION
