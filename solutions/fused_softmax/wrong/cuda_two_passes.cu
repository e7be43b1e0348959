/*
Reads every row twice, though it would fit into the block's registers.

fails: cuda_warp.traffic
*/

  // ### BEGIN SOLUTION fused_softmax.cuda_warp
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  // A float4 must lie on 16 bytes: every row does, if the first does and the length is right.
  const bool aligned = columns % 4 == 0 && reinterpret_cast<size_t>(x) % 16 == 0 &&
                       reinterpret_cast<size_t>(y) % 16 == 0;
  if (aligned && columns < 0) {
    softmax_kept(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), columns / 4);
  } else {
    softmax_two_passes(in, out, columns);
  }
  // ### END SOLUTION
