// The kernel computes by itself, plane by plane in a lambda of one query; errors become a status where there is one.
// ### BEGIN SOLUTION sparse_attention_op.native_op node
struct Node {
  OrtApi const* ort;
  int64_t block;
  bool causal;

  static int64_t attribute(OrtApi const* ort, OrtKernelInfo const* info, char const* name) {
    int64_t value = 0;
    OrtStatus* const status = ort->KernelInfoGetAttribute_int64(info, name, &value);
    if (status != nullptr) ort->ReleaseStatus(status);
    return status == nullptr ? value : -1;
  }

  void plane(float const* q, float const* k, float const* v, float least, float* out, int64_t n,
             int64_t d) const {
    int64_t const blocks = (n + block - 1) / block;
    float const scale = 1.0f / std::sqrt(static_cast<float>(d));
    auto mean = [&](float const* x, int64_t at, int64_t column) {
      int64_t const first = at * block, end = std::min(n, first + block);
      double sum = 0;
      for (int64_t row = first; row < end; ++row) sum += x[row * d + column];
      return sum / static_cast<double>(end - first);
    };
    std::vector<std::vector<int64_t>> lists(blocks);
    for (int64_t i = 0; i < blocks; ++i)
      for (int64_t j = 0; j < (causal ? i + 1 : blocks); ++j) {
        double gate = 0;
        for (int64_t c = 0; c < d; ++c) gate += mean(q, i, c) * mean(k, j, c);
        if (gate / std::sqrt(static_cast<double>(d)) >= least) lists[i].push_back(j);
      }
    std::vector<double> sums(d);
    for (int64_t row = 0; row < n; ++row) {
      std::fill(sums.begin(), sums.end(), 0.0);
      double total = 0.0;
      float highest = -std::numeric_limits<float>::infinity();
      for (int64_t const j : lists[row / block])
        for (int64_t key = j * block; key < std::min(n, (j + 1) * block); ++key) {
          if (causal && key > row) break;
          float score = 0;
          for (int64_t c = 0; c < d; ++c) score += q[row * d + c] * k[key * d + c];
          score *= scale;
          if (score > highest) {
            double const shrink = std::exp(static_cast<double>(highest) - score);
            total *= shrink;
            for (double& sum : sums) sum *= shrink;
            highest = score;
          }
          double const weight = std::exp(static_cast<double>(score) - highest);
          total += weight;
          for (int64_t c = 0; c < d; ++c) sums[c] += weight * v[key * d + c];
        }
      for (int64_t c = 0; c < d; ++c)
        out[row * d + c] = total == 0.0 ? 0.0f : static_cast<float>(sums[c] / total);
    }
  }
};
// ### END SOLUTION
  // ### BEGIN SOLUTION sparse_attention_op.native_op create
  return new Node{ort, Node::attribute(ort, info, "block"),
                  Node::attribute(ort, info, "causal") > 0};
  // ### END SOLUTION
  // ### BEGIN SOLUTION sparse_attention_op.native_op compute
  auto const* node = static_cast<Node const*>(kernel);
  auto input = [&](size_t place) {
    OrtValue const* value = nullptr;
    require(node->ort->KernelContext_GetInput(context, place, &value), "an input is missing");
    return value;
  };
  int64_t size[4];
  shape_of(input(0), size, 4);
  int64_t const plane = size[2] * size[3];
  float const *q = data_of(input(0)), *k = data_of(input(1)), *v = data_of(input(2));
  float const* thresholds = data_of(input(3));
  OrtValue* made = nullptr;
  require(node->ort->KernelContext_GetOutput(context, 0, size, 4, &made), "no memory for out");
  float* out = data_of(made);
  for (int64_t i = 0; i < size[0] * size[1]; ++i)
    node->plane(q + i * plane, k + i * plane, v + i * plane, thresholds[i % size[1]],
                out + i * plane, size[2], size[3]);
  // ### END SOLUTION
  // ### BEGIN SOLUTION sparse_attention_op.native_op describe
  op.GetName = [](OrtCustomOp const*) -> char const* { return "SparseAttention"; };
  op.GetInputTypeCount = [](OrtCustomOp const*) -> size_t { return 4; };
  op.GetOutputTypeCount = [](OrtCustomOp const*) -> size_t { return 1; };
  auto const all_float = [](OrtCustomOp const*, size_t) {
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  };
  op.GetInputType = all_float;
  op.GetOutputType = all_float;
  // ### END SOLUTION
  // ### BEGIN SOLUTION sparse_attention_op.native_op register
  static OrtCustomOp attention = describe();
  static OrtCustomOpDomain* domain = nullptr;
  if (domain == nullptr) {
    if (auto* status = api->CreateCustomOpDomain("hotloop.lab", &domain); status != nullptr)
      return status;
    if (auto* status = api->CustomOpDomain_Add(domain, &attention); status != nullptr)
      return status;
  }
  return api->AddCustomOpDomain(options, domain);
  // ### END SOLUTION
