"""Logits to answers."""

import numpy as np
import triton_python_backend_utils as pb

TOPICS = np.array(["concurrency", "files", "network", "numbers", "testing", "text"], object)


class TritonPythonModel:
    ### TASK triton_ensemble.postprocess_backend
    def execute(self, requests):
        """One response for each request, in order, with TOPIC and CONFIDENCE for each row.

        Logits that are not finite give their request an error; the others are answered.
        """
        raise NotImplementedError("triton_ensemble.postprocess_backend")
