"""Reference answers about texts for the judge: `python truth.py TOKENIZER MODEL [MODEL]`.

Reads lines of JSON. The answer to `{"texts": [...], "version": 1}` has ids, mask and the model's
logits. The answer to `{"time_rows": 16}` is the CPU seconds per row when that many rows are
computed at once, the fastest of several runs. It runs in the server's environment, without a
server.
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
    """Answer lines until the input ends."""
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
    """Return an ONNX Runtime session on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def truth(tokenizer: Tokenizer, network: onnxruntime.InferenceSession, texts: list[str]) -> dict:
    """Return ids, mask and logits of each text, as lists."""
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
    """Return the CPU seconds per row, with all 32 tokens filled; padding would cost the same.

    A one-thread session computes on the calling thread, so other processes do not count.
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
    """Return the logits."""
    return network.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]


if __name__ == "__main__":
    main()
