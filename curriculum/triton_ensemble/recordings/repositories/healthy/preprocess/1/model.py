"""Texts to ids, all rows of all requests at once."""

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb
from tokenizers import Tokenizer


class TritonPythonModel:
    """One call of the tokenizer for a batch."""

    def initialize(self, args):
        """Load the tokenizer."""
        folder = Path(args["model_repository"]) / args["model_version"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def execute(self, requests):
        """A response for each request, in order."""
        rows = [pb.get_input_tensor_by_name(r, "TEXT").as_numpy().reshape(-1) for r in requests]
        ids, mask = self.encode([text.decode() for text in np.concatenate(rows)])
        edges = np.cumsum([len(r) for r in rows])[:-1]
        return [
            pb.InferenceResponse([pb.Tensor("input_ids", i), pb.Tensor("attention_mask", m)])
            for i, m in zip(np.split(ids, edges), np.split(mask, edges), strict=True)
        ]

    def encode(self, texts):
        """Ids and mask of all texts."""
        encoded = self.tokenizer.encode_batch(texts)
        return (
            np.array([e.ids for e in encoded], np.int64),
            np.array([e.attention_mask for e in encoded], np.int64),
        )
