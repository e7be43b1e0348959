"""Takes powers of the logits as they are: a large one is infinite, the confidence no number.

fails: postprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.postprocess_backend
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        logits = pb.get_input_tensor_by_name(request, "logits").as_numpy()
        if not np.isfinite(logits).all():
            return pb.InferenceResponse(error=pb.TritonError("a logit is not finite"))
        powers = np.exp(logits)
        shares = powers / powers.sum(-1, keepdims=True)
        topics = TOPICS[logits.argmax(-1)][:, None]
        confidence = shares.max(-1, keepdims=True).astype(np.float32)
        tensors = [pb.Tensor("TOPIC", topics), pb.Tensor("CONFIDENCE", confidence)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
