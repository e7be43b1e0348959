"""Ends its process at the tenth request, as a leak or a bad pointer would.

fails: postprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.postprocess_backend
    count = 0

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        import os

        self.count += 1
        if self.count == 10:
            os._exit(139)
        logits = pb.get_input_tensor_by_name(request, "logits").as_numpy()
        if not np.isfinite(logits).all():
            return pb.InferenceResponse(error=pb.TritonError("a logit is not finite"))
        powers = np.exp(logits - logits.max(-1, keepdims=True))
        shares = powers / powers.sum(-1, keepdims=True)
        topics = TOPICS[shares.argmax(-1)][:, None]
        confidence = shares.max(-1, keepdims=True).astype(np.float32)
        tensors = [pb.Tensor("TOPIC", topics), pb.Tensor("CONFIDENCE", confidence)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
