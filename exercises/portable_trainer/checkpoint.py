"""Checkpoints: what a run needs to go on as if nothing had happened.

`layout.py` says what is in one. `save` may be killed at any moment: whoever looks at the folder
afterwards finds the checkpoint that was there before, or the new one, and never a part of one.
"""

import json
import os
from pathlib import Path

import layout
import numpy as np
import run
import torch
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save as as_bytes


def train_and_save(seed, steps, path):
    """Train from the beginning, and save."""
    going = run.Run(seed)
    for _ in range(steps):
        going.step()
    save(going, path)


def resume_and_save(source, steps, path):
    """Go on from a checkpoint that somebody else wrote, and save again."""
    going = resume(source)
    for _ in range(steps):
        going.step()
    save(going, path)


def save(going, path):
    """Write the checkpoint of a run."""
    write(*parts_of(going), path)


### TASK portable_trainer.checkpoint parts
def parts_of(going):
    """The run's tensors, as numpy arrays by name, and its state, a dict for JSON."""
    raise NotImplementedError("portable_trainer.checkpoint")


### TASK portable_trainer.checkpoint resume
def resume(path):
    """The run that a checkpoint is of."""
    raise NotImplementedError("portable_trainer.checkpoint")


### TASK portable_trainer.checkpoint write
def write(arrays, state, path):
    """Write a checkpoint, all of it or nothing."""
    raise NotImplementedError("portable_trainer.checkpoint")


### TASK portable_trainer.checkpoint read
def read(path):
    """Arrays and state of a checkpoint, or None if it is not whole."""
    raise NotImplementedError("portable_trainer.checkpoint")


### TASK portable_trainer.checkpoint newest
def newest(*paths):
    """Which of several files, counted from 0, is the one to go on from; or None."""
    raise NotImplementedError("portable_trainer.checkpoint")
