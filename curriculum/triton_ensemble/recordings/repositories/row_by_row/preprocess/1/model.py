"""Texts to ids in plain Python, one row after the other."""

from pathlib import Path

import numpy as np
import pieces
import triton_python_backend_utils as pb


class TritonPythonModel:
    """A text at a time."""

    def initialize(self, args):
        """Read the pieces."""
        folder = Path(args["model_repository"]) / args["model_version"]
        self.pieces = pieces.Pieces(folder / "tokenizer.json")

    def execute(self, requests):
        """A response for each request, in order."""
        return [self.one(request) for request in requests]

    def one(self, request):
        """The ids of one request's texts."""
        texts = pb.get_input_tensor_by_name(request, "TEXT").as_numpy().reshape(-1)
        rows = [self.pieces.encode(text.decode()) for text in texts]
        ids = np.array([ids for ids, _ in rows], np.int64)
        mask = np.array([mask for _, mask in rows], np.int64)
        return pb.InferenceResponse(
            [pb.Tensor("input_ids", ids), pb.Tensor("attention_mask", mask)]
        )
