"""A training loop as projects grow them: nothing in it is wrong, and it is slow.

Do not look for the reasons by reading. Profile it, and let the trace tell you.
"""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from resnet import ResNet, pack, size_for, unpack
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, Dataset

MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4
MEAN = (125.3, 123.0, 113.9)
DEVIATION = (63.0, 62.1, 66.7)
PADDING = 4
PIECE = 4

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def augment(image, dy, dx, flip):
    """Shift an image of bytes [32, 32, 3] by up to four pixels, mirror it, normalize it."""
    height, width, channels = image.shape
    padded = np.zeros((height + 2 * PADDING, width + 2 * PADDING, channels), np.uint8)
    padded[PADDING : PADDING + height, PADDING : PADDING + width] = image
    cut = padded[dy : dy + height, dx : dx + width]
    planes = []
    for channel in range(channels):
        rows = cut[:, ::-1, channel] if flip else cut[:, :, channel]
        scale, shift = 1.0 / DEVIATION[channel], MEAN[channel]
        planes.append([[(value - shift) * scale for value in row] for row in rows.tolist()])
    return torch.tensor(planes)


class Pictures(Dataset):
    """What the plan asks for, one image after the other."""

    def __init__(self, images, labels, plan):
        self.images = images
        self.labels = labels
        self.entries = plan.reshape(-1, 4)

    def __len__(self):
        return len(self.entries)

    def __getitem__(self, index):
        sample, dy, dx, flip = self.entries[index].tolist()
        image = augment(self.images[sample].numpy(), dy, dx, flip)
        return image, int(self.labels[sample])


class Log:
    """One line of JSON a step, and a checkpoint, until the run is over."""

    def __init__(self):
        # Deleted with this object: a checkpoint of ResNet-50 has 94 MB, too much to leave behind.
        self.temporary = tempfile.TemporaryDirectory(prefix="training-")
        self.folder = Path(self.temporary.name)
        self.lines = (self.folder / "log.jsonl").open("a")

    def write(self, model, step, loss, scores, labels):
        right = (scores.argmax(1) == labels).float().mean().item()
        norms = {name: p.grad.norm().item() for name, p in model.named_parameters()}
        line = {"step": step, "loss": loss.item(), "accuracy": right, "gradients": norms}
        self.lines.write(json.dumps(line) + "\n")
        self.lines.flush()
        torch.save(model.state_dict(), self.folder / "checkpoint.pt")


def train(images, labels, plan, rate, initial, trained):
    """Train for the steps of a plan and write the weights to `trained`.

    images: uint8 [n, 32, 32, 3]. labels: int64 [n]. plan: int64 [steps, batch, 4], each entry the
    number of a sample, its shift down and to the right (0 to 8, 4 is none) and whether it is
    mirrored. rate: how far a step goes. initial, trained: float32 [parameters and statistics], in
    the order of state_dict.
    """
    steps, batch, _ = plan.shape
    model = ResNet(size_for(DEVICE)).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY, foreach=False
    )
    loader = iter(DataLoader(Pictures(images, labels, plan), batch_size=PIECE, num_workers=0))
    log = Log()
    for step in range(steps):
        pieces = [next(loader) for _ in range(batch // PIECE)]
        inputs = torch.cat([piece for piece, _ in pieces])
        targets = torch.cat([piece for _, piece in pieces])
        inputs = torch.tensor(inputs.tolist()).to(DEVICE)
        targets = torch.tensor(targets.tolist()).to(DEVICE)
        scores = model(inputs)
        loss = cross_entropy(scores, targets)
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        optimizer.step()
        log.write(model, step, loss, scores, targets)
    pack(model, trained)
