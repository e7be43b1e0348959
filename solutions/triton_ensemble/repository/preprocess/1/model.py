"""Texts to tokens. Each instance is a `TritonPythonModel` in a process of its own."""

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    ### BEGIN SOLUTION triton_ensemble.preprocess_backend
    ### STUB def execute(self, requests):
    ### STUB     """One response for each request, in their order. A request has one or more rows.
    ### STUB
    ### STUB     A text that is empty, or no UTF-8, gives its request an error; others are answered.
    ### STUB     """
    ### STUB     raise NotImplementedError("triton_ensemble.preprocess_backend")
    def execute(self, requests):
        responses, texts, rows = [None] * len(requests), [], []
        for number, request in enumerate(requests):
            try:
                given = self.texts(request)
            except ValueError as error:
                responses[number] = pb.InferenceResponse(error=pb.TritonError(str(error)))
                continue
            rows.append((number, len(texts), len(texts) + len(given)))
            texts += given
        if texts:
            encoded = self.tokenizer.encode_batch(texts)
            ids = np.array([text.ids for text in encoded], np.int64)
            mask = np.array([text.attention_mask for text in encoded], np.int64)
        for number, first, end in rows:
            tensors = [
                pb.Tensor("input_ids", ids[first:end]),
                pb.Tensor("attention_mask", mask[first:end]),
            ]
            responses[number] = pb.InferenceResponse(tensors)
        return responses

    def texts(self, request):
        found = pb.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
        texts = [text.decode() for text in found]
        if not all(text.strip() for text in texts):
            raise ValueError("a text is empty")
        return texts

    ### END SOLUTION
