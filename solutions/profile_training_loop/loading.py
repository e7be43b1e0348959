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


### BEGIN SOLUTION profile_training_loop.load_photos train
### STUB def train_on_photos(files, labels, plan, rate, initial, trained):
### STUB     """As slow_photos.train_on_photos, while other processes decode.
### STUB
### STUB     files: uint8 [n, 40960], one file a row. labels: int64 [n]. plan: int64 [epochs,
### STUB     steps, batch]. rate: how far a step goes. initial, trained: float32 [parameters and
### STUB     statistics]; `trained` is filled.
### STUB     """
### STUB     raise NotImplementedError("profile_training_loop.load_photos")
class Epochs:
    """The batches of one epoch. The loader may call `iter` more than once: it never moves on."""

    def __init__(self, plan):
        self.plan = plan
        self.epoch = 0

    def __iter__(self):
        return iter(self.plan[self.epoch].tolist())


def train_on_photos(files, labels, plan, rate, initial, trained):
    """As slow_photos.train_on_photos, while other processes decode.

    files: uint8 [n, 40960], one file a row. labels: int64 [n]. plan: int64 [epochs, steps, batch].
    rate: how far a step goes. initial, trained: float32 [parameters and statistics]; `trained` is
    filled.
    """
    model = ResNet(SMALL).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY)
    epochs = Epochs(plan)
    loader = DataLoader(
        Photos(files, labels),
        batch_sampler=epochs,
        num_workers=min(8, max(2, len(os.sched_getaffinity(0)))),
        prefetch_factor=4,
        persistent_workers=True,
        pin_memory=DEVICE == "cuda",
    )
    for epochs.epoch in range(len(plan)):
        for inputs, targets in loader:
            inputs, targets = (t.to(DEVICE, non_blocking=True) for t in (inputs, targets))
            loss = cross_entropy(model(inputs), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    pack(model, trained)


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.load_photos prefetch
### STUB def prefetch(load_ms, step_ms, workers, most):
### STUB     """Return the lengths of an epoch and the prefetch factor to take, as a dict.
### STUB
### STUB     load_ms: how long a worker loads each batch. step_ms: how long a step takes. workers:
### STUB     num_workers. most: the largest prefetch_factor that memory allows.
### STUB     """
### STUB     raise NotImplementedError("profile_training_loop.load_photos")
def prefetch(load_ms, step_ms, workers, most):
    """Return the lengths of an epoch and the prefetch factor to take, as a dict.

    load_ms: how long a worker loads each batch. step_ms: how long a step takes. workers:
    num_workers. most: the largest prefetch_factor that memory allows.
    """
    lengths = [epoch_ms(load_ms, step_ms, workers, factor) for factor in range(1, most + 1)]
    within = [length <= 1.01 * min(lengths) for length in lengths]
    return {"epoch_ms": lengths, "prefetch_factor": 1 + within.index(True)}


def epoch_ms(load_ms, step_ms, workers, factor):
    free = [0.0] * workers
    handed = []
    now = 0.0
    for number, load in enumerate(load_ms):
        # At first each worker is asked for `factor` batches; then one is asked for whenever the
        # loop takes one.
        before = number - workers * factor
        asked = handed[before] if before >= 0 else 0.0
        worker = number % workers
        free[worker] = max(free[worker], asked) + load
        handed.append(max(now, free[worker]))
        now = handed[-1] + step_ms
    return now


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.load_photos copies
### STUB def projected(batches, weight, out):
### STUB     """Fill out[i] with `relu(batches[i].float() @ weight).mean(0)`, computed on the GPU.
### STUB
### STUB     batches: uint8 [n, rows, columns]. weight: float32 [columns, outputs]. out: float32
### STUB     [n, outputs]. All are in ordinary host memory.
### STUB     """
### STUB     raise NotImplementedError("profile_training_loop.load_photos")
def projected(batches, weight, out):
    """Fill out[i] with `relu(batches[i].float() @ weight).mean(0)`, computed on the GPU.

    batches: uint8 [n, rows, columns]. weight: float32 [columns, outputs]. out: float32
    [n, outputs]. All are in ordinary host memory.
    """
    weight = weight.cuda()
    pinned = torch.empty(2, *batches.shape[1:], dtype=torch.uint8, pin_memory=True)
    copied = [torch.cuda.Event(), torch.cuda.Event()]
    means = []
    for number, batch in enumerate(batches):
        place = pinned[number % 2]
        # The copy before the last one must be over before its page-locked memory is overwritten.
        copied[number % 2].synchronize()
        place.copy_(batch)
        on_gpu = place.to("cuda", non_blocking=True)
        copied[number % 2].record()
        means.append(torch.relu(on_gpu.float() @ weight).mean(0))
    out.copy_(torch.stack(means))


### END SOLUTION
