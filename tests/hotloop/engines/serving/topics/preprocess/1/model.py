from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    def execute(self, requests):
        return [self.one(request) for request in requests]

    def one(self, request):
        texts = pb.get_input_tensor_by_name(request, "TEXT").as_numpy()
        encoded = self.tokenizer.encode_batch([text.decode() for text in texts.reshape(-1)])
        ids = np.array([e.ids for e in encoded], np.int64)
        mask = np.array([e.attention_mask for e in encoded], np.int64)
        return pb.InferenceResponse(
            [pb.Tensor("input_ids", ids), pb.Tensor("attention_mask", mask)]
        )
