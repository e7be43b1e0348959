"""Answers messages from the package alone: task 5. No source of the model is at hand here."""

import json
from pathlib import Path

import torch


### BEGIN SOLUTION control_flow_export.package service
### STUB def answer(package_path, requests_path):
### STUB     """Scores for the messages of a JSON file, in its order: lists of eight numbers.
### STUB
### STUB     The file: [{"tokens": […], "kind": …}, …]. Each message gets what it would get alone.
### STUB     """
### STUB     raise NotImplementedError("control_flow_export.package")
@torch.inference_mode()
def answer(package_path, requests_path):
    """Scores for the messages of a JSON file, in its order: lists of eight numbers.

    The file: [{"tokens": […], "kind": …}, …]. Each message gets what it would get alone.
    """
    model = torch._inductor.aoti_load_package(package_path, run_single_threaded=True)
    # One at a time: in a batch, a neighbor that is unsure takes all of them through all layers.
    return [
        model(torch.tensor([request["tokens"]]), torch.tensor(request["kind"]))[0].tolist()
        for request in json.loads(Path(requests_path).read_text())
    ]


### END SOLUTION
