// Peeled to 16 bytes of x, then float4 of x, bias and y where all three allow it, else scalars of neighbors.
// ### BEGIN SOLUTION first_kernels.bias_gelu
  const size_t start = (size_t)blockIdx.x * columns;
  const float* px = x + start;
  float* py = y + start;
  auto f = [](float v) { return 0.5f * v * (1.f + tanhf(0.7978845608f * v * (1.f + 0.044715f * v * v))); };
  auto low = [](const void* p) { return (int)(reinterpret_cast<size_t>(p) & 15); };
  int c = 0;
  if (low(px) == low(py) && low(px) == low(bias)) {
    int peel = (16 - low(px)) % 16 / 4;
    if (peel > columns) peel = columns;
    const int quads = (columns - peel) / 4;
    for (int i = threadIdx.x; i < peel; i += blockDim.x) py[i] = f(px[i] + bias[i]);
    const float4* q = reinterpret_cast<const float4*>(px + peel);
    const float4* b = reinterpret_cast<const float4*>(bias + peel);
    float4* w = reinterpret_cast<float4*>(py + peel);
#pragma unroll 2
    for (int i = threadIdx.x; i < quads; i += blockDim.x) {
      const float4 v = q[i], u = __ldg(b + i);
      w[i] = make_float4(f(v.x + u.x), f(v.y + u.y), f(v.z + u.z), f(v.w + u.w));
    }
    c = peel + 4 * quads;
  }
  for (c += threadIdx.x; c < columns; c += blockDim.x) py[c] = f(px[c] + bias[c]);
// ### END SOLUTION
