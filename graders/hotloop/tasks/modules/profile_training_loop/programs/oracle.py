"""The reference of a training run: the same steps in plain float32.

Runs in one of the judge's workers, beside a copy of the module's resnet.py. Destination style:
functions fill their last argument.
"""

import torch
from resnet import ResNet, pack, size_for, unpack
from torch.nn.functional import cross_entropy

MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4
MEAN = (125.3, 123.0, 113.9)
DEVIATION = (63.0, 62.1, 66.7)
PADDING = 4
TEST_BATCH = 256

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def augmented(images, entries, border, out):
    """Fill `out`, float32 [m, 3, h, w]. images: uint8 [n, h, w, 3]. entries: int64 [m, 4]."""
    _, height, width, _ = images.shape
    around = (0, 0, PADDING, PADDING, PADDING, PADDING)
    padded = torch.nn.functional.pad(images, around, value=border)
    for result, (sample, dy, dx, flip) in zip(out, entries.tolist(), strict=True):
        cut = padded[sample, dy : dy + height, dx : dx + width]
        result.copy_(_normalized(cut.flip(1) if flip else cut))


def train(images, labels, plan, rate, initial, border, trained):
    """Train as the learner's `train` must. border: the byte around a shifted image."""
    model = ResNet(size_for(DEVICE)).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY, foreach=False
    )
    for entries in plan:
        inputs = torch.empty(len(entries), 3, *images.shape[1:3])
        augmented(images, entries, border, inputs)
        loss = cross_entropy(model(inputs.to(DEVICE)), labels[entries[:, 0]].to(DEVICE))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    pack(model, trained)


@torch.inference_mode()
def accuracy(images, labels, weights, out):
    """Fill `out`, float32 [1], with the share of images classified right with these weights."""
    model = ResNet(size_for(DEVICE)).to(DEVICE)
    unpack(model, weights)
    model.eval()
    right = 0
    for part, answers in zip(images.split(TEST_BATCH), labels.split(TEST_BATCH), strict=True):
        scores = model(_normalized(part).to(DEVICE))
        right += int((scores.argmax(1).cpu() == answers).sum())
    out[0] = right / len(labels)


def _normalized(images):
    """Convert bytes [..., h, w, 3] to normalized float32 [..., 3, h, w]."""
    mean, deviation = (torch.tensor(v).view(3, 1, 1) for v in (MEAN, DEVIATION))
    return (images.movedim(-1, -3).float() - mean) / deviation
