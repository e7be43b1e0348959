"""Keeps answers under a key that does not hold the whole input: other inputs get them.

fails: postprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.postprocess_backend
    def execute(self, requests):
        self.kept = getattr(self, "kept", {})
        return [self.answer(request) for request in requests]

    def answer(self, request):
        logits = pb.get_input_tensor_by_name(request, "logits").as_numpy()
        if not np.isfinite(logits).all():
            return pb.InferenceResponse(error=pb.TritonError("a logit is not finite"))
        key = logits.shape
        if key not in self.kept:
            powers = np.exp(logits - logits.max(-1, keepdims=True))
            self.kept[key] = powers / powers.sum(-1, keepdims=True)
        shares = self.kept[key]
        topics = TOPICS[shares.argmax(-1)][:, None]
        confidence = shares.max(-1, keepdims=True).astype(np.float32)
        tensors = [pb.Tensor("TOPIC", topics), pb.Tensor("CONFIDENCE", confidence)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
