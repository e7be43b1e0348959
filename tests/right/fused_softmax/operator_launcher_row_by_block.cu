// Launches the kernel of one block a row on a packed clone, and returns early where there is nothing to compute.
// ### BEGIN SOLUTION fused_softmax.operator_launcher
  const bool fits = x.is_cuda() && x.dim() == 2 && x.scalar_type() == ScalarType::Float;
  STD_TORCH_CHECK(fits, "softmax wants a float32 matrix on the GPU, got ", x.dim(), " dimensions");
  auto y = torch::stable::new_empty(x, {x.size(0), x.size(1)}, x.scalar_type());
  if (y.numel() == 0) return y;
  STD_TORCH_CHECK(y.size(0) <= INT_MAX && y.size(1) <= INT_MAX, "softmax: too many rows or columns");
  const bool packed = x.stride(1) == 1 && x.stride(0) == x.size(1);
  const Tensor rows_in_order = packed ? x : torch::stable::clone(torch::stable::contiguous(x));
  const dim3 grid(static_cast<unsigned>(y.size(0))), block(kThreads);
  softmax_block<<<grid, block, 0, current_stream(y)>>>(
      reinterpret_cast<const float*>(rows_in_order.data_ptr()),
      reinterpret_cast<float*>(y.data_ptr()), int(y.size(0)), int(y.size(1)));
  if (auto e = cudaGetLastError(); e != cudaSuccess)
    STD_TORCH_CHECK(false, "softmax was not launched: ", cudaGetErrorName(e), ", ", cudaGetErrorString(e));
  return y;
// ### END SOLUTION
