"""Looks at the first row of each request: with one client that asks one text, all is well.

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
        powers = np.exp(logits[0] - logits[0].max())
        shares = powers / powers.sum()
        topics = np.array([[TOPICS[shares.argmax()]]], object)
        confidence = np.array([[shares.max()]], np.float32)
        tensors = [pb.Tensor("TOPIC", topics), pb.Tensor("CONFIDENCE", confidence)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
