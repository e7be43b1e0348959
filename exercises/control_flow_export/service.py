"""Answers messages from the package alone: task 5. No source of the model is at hand here."""

import json
from pathlib import Path

import torch


### TASK control_flow_export.package service
def answer(package_path, requests_path):
    """Scores for the messages of a JSON file, in its order: lists of eight numbers.

    The file: [{"tokens": […], "kind": …}, …]. Each message gets what it would get alone.
    """
    raise NotImplementedError("control_flow_export.package")
