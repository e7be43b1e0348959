"""Texts to tokens."""

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

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
