"""Texts to tokens. Each instance is a `TritonPythonModel` in a process of its own."""

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb
from tokenizers import Tokenizer


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"]
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))

    ### TASK triton_ensemble.preprocess_backend
    def execute(self, requests):
        """One response for each request, in their order. A request has one or more rows.

        A text that is empty, or no UTF-8, gives its request an error; others are answered.
        """
        raise NotImplementedError("triton_ensemble.preprocess_backend")
