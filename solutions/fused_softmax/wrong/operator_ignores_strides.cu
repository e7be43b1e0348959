/*
Takes the pointer of a tensor with gaps between its rows as if there were none.

fails: operator_launcher.correct
*/

  // ### BEGIN SOLUTION fused_softmax.operator_launcher
  STD_TORCH_CHECK(x.is_cuda(), "softmax: x must be on the GPU");
  STD_TORCH_CHECK(x.scalar_type() == ScalarType::Float, "softmax: x must be float32");
  STD_TORCH_CHECK(x.dim() == 2, "softmax: x must have 2 dimensions, not ", x.dim());
  const int64_t rows = x.size(0), columns = x.size(1);
  STD_TORCH_CHECK(rows <= INT_MAX && columns <= INT_MAX, "softmax: x is too large");
  const Tensor in = x;
  Tensor out = torch::stable::new_empty(in, {rows, columns});
  if (x.numel() == 0) return out;  // a grid of 0 blocks is an error
  softmax_warp<<<rows, kThreads>>>(static_cast<const float*>(in.data_ptr()),
                                   static_cast<float*>(out.data_ptr()), static_cast<int>(rows),
                                   static_cast<int>(columns));
  const cudaError_t error = cudaGetLastError();
  STD_TORCH_CHECK(error == cudaSuccess, "softmax: ", cudaGetErrorString(error));
  return out;
  // ### END SOLUTION
