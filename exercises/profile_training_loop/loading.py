"""A training loop whose data set decodes photos. It begins as slow_photos.py's.

What may not change is what is computed: the same photos in the same steps, and the same update.
"""

import os

import torch
from photos import Photos
from resnet import SMALL, ResNet, pack, unpack
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader

MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


### TASK profile_training_loop.load_photos train
def train_on_photos(files, labels, plan, rate, initial, trained):
    """As slow_photos.train_on_photos, while other processes decode.

    files: uint8 [n, 40960], one file a row. labels: int64 [n]. plan: int64 [epochs,
    steps, batch]. rate: how far a step goes. initial, trained: float32 [parameters and
    statistics]; `trained` is filled.
    """
    raise NotImplementedError("profile_training_loop.load_photos")


### TASK profile_training_loop.load_photos prefetch
def prefetch(load_ms, step_ms, workers, most):
    """Return the lengths of an epoch and the prefetch factor to take, as a dict.

    load_ms: how long a worker loads each batch. step_ms: how long a step takes. workers:
    num_workers. most: the largest prefetch_factor that memory allows.
    """
    raise NotImplementedError("profile_training_loop.load_photos")


### TASK profile_training_loop.load_photos copies
def projected(batches, weight, out):
    """Fill out[i] with `relu(batches[i].float() @ weight).mean(0)`, computed on the GPU.

    batches: uint8 [n, rows, columns]. weight: float32 [columns, outputs]. out: float32
    [n, outputs]. All are in ordinary host memory.
    """
    raise NotImplementedError("profile_training_loop.load_photos")
