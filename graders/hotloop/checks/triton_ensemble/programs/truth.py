"""What is right about texts, for the judge: `python truth.py TOKENIZER MODEL [MODEL]`.

Reads lines of JSON. `{"texts": [...], "version": 1}` is answered with ids, mask and the model's
logits; `{"time_rows": 16}` with the seconds of CPU time that a row takes when so many are computed
at once, by the fastest of several runs. It runs in the server's environment, beside no server.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

BATCH = 64
RUNS, ROUNDS = 20, 5


def main() -> None:
    """Answer lines until there are no more."""
    tokenizer = Tokenizer.from_file(sys.argv[1])
    sessions = [session(path) for path in sys.argv[2:]]
    for line in sys.stdin:
        question = json.loads(line)
        if "time_rows" in question:
            answer = seconds_per_row(sessions[0], question["time_rows"])
        else:
            answer = truth(tokenizer, sessions[question["version"] - 1], question["texts"])
        print(json.dumps(answer), flush=True)


def session(path: str) -> onnxruntime.InferenceSession:
    """On one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def truth(tokenizer: Tokenizer, network: onnxruntime.InferenceSession, texts: list[str]) -> dict:
    """Of each text."""
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([text.ids for text in encoded], np.int64)
    mask = np.array([text.attention_mask for text in encoded], np.int64)
    logits = [
        run(network, ids[at : at + BATCH], mask[at : at + BATCH])
        for at in range(0, len(ids), BATCH)
    ]
    return {
        "input_ids": ids.tolist(),
        "attention_mask": mask.tolist(),
        "logits": np.concatenate(logits).tolist(),
    }


def seconds_per_row(network: onnxruntime.InferenceSession, rows: int) -> float:
    """With all 32 places filled: padding is computed all the same.

    A session on one thread computes on the one that asks, so that a busy machine does not count.
    """
    ids = np.full((rows, 32), 100, np.int64)
    mask = np.ones_like(ids)
    fastest = float("inf")
    for _ in range(ROUNDS):
        started = time.thread_time()
        for _ in range(RUNS):
            run(network, ids, mask)
        fastest = min(fastest, (time.thread_time() - started) / RUNS)
    return fastest / rows


def run(network: onnxruntime.InferenceSession, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The logits."""
    return network.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]


if __name__ == "__main__":
    main()
