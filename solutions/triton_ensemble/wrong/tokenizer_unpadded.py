"""Leaves every text as long as it is: one text fits, two of different lengths make no rectangle.

fails: preprocess_backend.serves
"""


class TritonPythonModel:
    ### BEGIN SOLUTION triton_ensemble.preprocess_backend
    def execute(self, requests):
        self.tokenizer.no_padding()
        responses = []
        for request in requests:
            found = pb.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
            encoded = self.tokenizer.encode_batch([text.decode() for text in found])
            ids = np.array([text.ids for text in encoded], np.int64)
            mask = np.array([text.attention_mask for text in encoded], np.int64)
            tensors = [pb.Tensor("input_ids", ids), pb.Tensor("attention_mask", mask)]
            responses.append(pb.InferenceResponse(tensors))
        return responses

    ### END SOLUTION
