"""Training loops without one remedy each, and the reference of ResNet-50 on CIFAR-10's records.

`plainly` is the reference. Each other function has every remedy but the one that it is named for:
what is faster than it has that remedy. Destination style: the last argument is filled.
"""

import functools

import torch
from resnet import RESNET50, SMALL, ResNet, pack, unpack
from torch.nn.functional import cross_entropy, pad

MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4
MEAN = (125.3, 123.0, 113.9)
DEVIATION = (63.0, 62.1, 66.7)
PADDING = 4

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def plainly(records, plan, rate, initial, trained):
    """Train in float32, in PyTorch's usual layout, without anything that was tuned."""
    off = dict.fromkeys(("layout", "mixed", "compiled", "benchmark"), False)
    _train(*_read(records), plan, rate, initial, trained, **off)


def without_channels_last(images, labels, plan, rate, initial, trained):
    """Train the small network as fast as without `channels_last`. images: uint8 [n, 32, 32, 3]."""
    _train(images, labels, plan, rate, initial, trained, size=SMALL, layout=False)


def without_mixed_precision(records, plan, rate, initial, trained):
    """Train as fast as without autocast."""
    _train(*_read(records), plan, rate, initial, trained, mixed=False)


def without_compile(records, plan, rate, initial, trained):
    """Train as fast as without torch.compile."""
    _train(*_read(records), plan, rate, initial, trained, compiled=False)


def without_benchmark(records, plan, rate, initial, trained):
    """Train as fast as with the algorithms that cuDNN's heuristic takes."""
    _train(*_read(records), plan, rate, initial, trained, benchmark=False)


def _read(records):
    """Return images, uint8 [n, 32, 32, 3], and labels of records, uint8 [n, 3073]."""
    return records[:, 1:].view(-1, 3, 32, 32).movedim(1, 3), records[:, 0].long()


def _train(
    images,
    labels,
    plan,
    rate,
    initial,
    trained,
    *,
    size=RESNET50,
    layout=True,
    mixed=DEVICE == "cuda",
    compiled=DEVICE == "cuda",
    benchmark=DEVICE == "cuda",
):
    torch.backends.cudnn.benchmark = benchmark
    images, labels, plan = (tensor.to(DEVICE) for tensor in (images, labels, plan))
    padded = pad(images, (0, 0, *[PADDING] * 4))
    mean, deviation = (torch.tensor(values, device=DEVICE) for values in (MEAN, DEVIATION))
    model, forward = _network(size, layout, compiled)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), rate, MOMENTUM, weight_decay=WEIGHT_DECAY, fused=True
    )
    for entries in plan:
        # With channels in front of [batch, height, width, channels], that is channels_last.
        inputs = ((_cut(padded, entries) - mean) / deviation).movedim(3, 1)
        if not layout:
            inputs = inputs.contiguous()
        with torch.autocast(DEVICE, torch.bfloat16, enabled=mixed):
            loss = cross_entropy(forward(inputs), labels[entries[:, 0]])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
    pack(model, trained)


@functools.cache
def _network(size, layout, compiled):
    kept = torch.channels_last if layout else torch.contiguous_format
    model = ResNet(size).to(DEVICE, memory_format=kept)
    return model, torch.compile(model) if compiled else model


def _cut(padded, entries):
    sample, down, right, mirrored = entries.unbind(1)
    side = torch.arange(32, device=padded.device)
    rows = down[:, None] + side
    columns = right[:, None] + torch.where(mirrored[:, None].bool(), side.flip(0), side)
    return padded[sample[:, None, None], rows[:, :, None], columns[:, None, :]]
