"""Your client of the served ensemble: texts in, topics out, over HTTP or gRPC.

`python client.py http 8000 "Open the file."` asks a server of yours.
"""

import json
import sys
import time

import numpy as np
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

MODEL = "topics"
MAX_BATCH_SIZE = 16


### TASK triton_ensemble.client
def classify(texts, protocol, http_port, grpc_port, version, deadline_s):
    """An entry for each text, in order: {"topic": …, "confidence": …} or {"error": …}.

    protocol: "http" or "grpc"; the server is at 127.0.0.1, at one port for each.
    version: of the model, as text; None leaves it to the server.
    deadline_s: for the whole call, however many requests that takes. What was answered by
        then is kept; the other texts get the error "deadline".

    At most MAX_BATCH_SIZE texts in a request, in as few requests as that allows, and all
    over one connection. A refusal (HTTP's 503, gRPC's UNAVAILABLE) is worth another
    attempt, seven at most, after a pause of 40 ms or more that grows; if none helps, the
    error is "refused". Any other error is the request's own: "bad_request", at once.
    """
    raise NotImplementedError("triton_ensemble.client")


if __name__ == "__main__":
    protocol, port, *texts = sys.argv[1:]
    print(json.dumps(classify(texts, protocol, int(port), int(port), None, 5.0), indent=1))
