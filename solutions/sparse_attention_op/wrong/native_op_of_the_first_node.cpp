/*
Reads the attributes of the first node, and takes them for those of all.

fails: native_op.correct
*/

// ### BEGIN SOLUTION sparse_attention_op.native_op create
  static Node first;
  if (first.block == 0) {
    require(ort->KernelInfoGetAttribute_int64(info, "block", &first.block), "no attribute block");
    require(ort->KernelInfoGetAttribute_int64(info, "causal", &first.causal), "no causal");
  }
  return new Node(first);
// ### END SOLUTION
