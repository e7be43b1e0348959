/*
Loads float4s from rows that do not begin on 16 bytes.

fails: cuda_warp.correct
*/

  // ### BEGIN SOLUTION fused_softmax.cuda_warp
  const float* in = x + static_cast<size_t>(blockIdx.x) * columns;
  float* out = y + static_cast<size_t>(blockIdx.x) * columns;
  // A float4 must lie on 16 bytes: every row does, if the first does and the length is right.
  const bool aligned = columns % 2 == 0;
  if (aligned && columns <= kThreads * 4 * kKept) {
    softmax_kept(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), columns / 4);
  } else {
    softmax_two_passes(in, out, columns);
  }
  // ### END SOLUTION
