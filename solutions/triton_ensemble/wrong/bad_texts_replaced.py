"""Answers for texts that are none, instead of saying so.

fails: preprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.preprocess_backend
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        found = pb.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
        encoded = self.tokenizer.encode_batch([text.decode(errors="replace") for text in found])
        ids = np.array([text.ids for text in encoded], np.int64)
        mask = np.array([text.attention_mask for text in encoded], np.int64)
        tensors = [pb.Tensor("input_ids", ids), pb.Tensor("attention_mask", mask)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
