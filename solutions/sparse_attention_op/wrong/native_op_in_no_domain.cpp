/*
Registers the operator without a domain, among ONNX's own.

fails: native_op.found
*/

// ### BEGIN SOLUTION sparse_attention_op.native_op register
  static OrtCustomOp const op = describe();
  OrtCustomOpDomain* domain = nullptr;
  if (OrtStatus* failed = api->CreateCustomOpDomain("", &domain)) return failed;
  if (OrtStatus* failed = api->CustomOpDomain_Add(domain, &op)) return failed;
  // It is not released: sessions that come later go on using it.
  return api->AddCustomOpDomain(options, domain);
// ### END SOLUTION
