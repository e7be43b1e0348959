"""Lets the exception out of one bad request: everybody in the batch gets it.

fails: preprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.preprocess_backend
    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        found = pb.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
        texts = [text.decode() for text in found]
        if not all(text.strip() for text in texts):
            raise ValueError("a text is empty")
        encoded = self.tokenizer.encode_batch(texts)
        ids = np.array([text.ids for text in encoded], np.int64)
        mask = np.array([text.attention_mask for text in encoded], np.int64)
        tensors = [pb.Tensor("input_ids", ids), pb.Tensor("attention_mask", mask)]
        return pb.InferenceResponse(tensors)

    ### END SOLUTION
