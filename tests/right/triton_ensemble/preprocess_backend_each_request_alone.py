"""Each request is answered on its own, by helper methods and an exception of its own; errors with codes."""


### BEGIN SOLUTION triton_ensemble.preprocess_backend
class Bad(Exception):
    pass

@staticmethod
def _text_of(row):
    try:
        text = str(row, "utf-8")
    except UnicodeDecodeError as wrong:
        raise TritonPythonModel.Bad(f"not UTF-8: {wrong.reason}") from wrong
    if not text or text.isspace():
        raise TritonPythonModel.Bad("an empty text")
    return text

def _respond(self, request):
    tensor = pb.get_input_tensor_by_name(request, "TEXT")
    texts = [self._text_of(row) for row in tensor.as_numpy()[:, 0]]
    shape = len(texts), 32
    ids, mask = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for i, text in enumerate(texts):
        encoding = self.tokenizer.encode(text)
        ids[i, :] = encoding.ids
        mask[i, :] = encoding.attention_mask
    return pb.InferenceResponse(
        output_tensors=[pb.Tensor("attention_mask", mask), pb.Tensor("input_ids", ids)]
    )

def execute(self, requests):
    """One response for each request, in their order. A request has one or more rows."""
    responses = []
    for request in requests:
        try:
            response = self._respond(request)
        except self.Bad as bad:
            error = pb.TritonError(str(bad), pb.TritonError.INVALID_ARG)
            response = pb.InferenceResponse(output_tensors=[], error=error)
        responses.append(response)
    return responses
### END SOLUTION
