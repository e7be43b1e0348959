"""A detector built from YOLOv5's parts, with that project's names, an eighth as wide as YOLOv5l.

It has what converters stumble over: the Focus stem of releases up to 5.0 (or the 6×6 convolution
that replaced it in 6.0), SiLU, SPPF (new in 6.0; no release has both), and a head that gives a grid
of numbers for each of three sizes of object.
"""

import pickle
from pathlib import Path

import numpy as np
import torch
from torch import nn

HERE = Path(__file__).parent
WEIGHTS = HERE / "yolo_shapes.npz"
PUBLISHED = HERE / "yolov5n_shapes.npz"
"""YOLOv5n itself, with six classes: width 16, a 6×6 convolution as stem."""

SIDE = 128
"""Of the square picture that the small network was trained with."""

STRIDES = (8, 16, 32)

ANCHORS = (
    ((11.0, 11.0), (15.0, 12.0), (13.0, 17.0)),
    ((19.0, 19.0), (27.0, 21.0), (22.0, 29.0)),
    ((31.0, 30.0), (42.0, 35.0), (40.0, 48.0)),
)
"""Width and height in pixels of the picture, three for each stride."""


class Conv(nn.Module):
    """Convolution, normalization, SiLU: x · sigmoid(x)."""

    def __init__(self, inputs, outputs, kernel=1, stride=1, padding=None):
        super().__init__()
        padding = kernel // 2 if padding is None else padding
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, padding, bias=False)
        self.bn = nn.BatchNorm2d(outputs, eps=1e-3, momentum=0.03)
        self.act = nn.SiLU()

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Focus(nn.Module):
    """The stem of YOLOv5 up to 5.0: four pictures of half the size, one above the other."""

    def __init__(self, inputs, outputs, kernel=3):
        super().__init__()
        self.conv = Conv(4 * inputs, outputs, kernel)

    def forward(self, x):
        corners = (x[..., down::2, right::2] for right in (0, 1) for down in (0, 1))
        return self.conv(torch.cat(tuple(corners), 1))


class Bottleneck(nn.Module):
    def __init__(self, width, shortcut=True):
        super().__init__()
        self.cv1 = Conv(width, width, 1)
        self.cv2 = Conv(width, width, 3)
        self.add = shortcut

    def forward(self, x):
        y = self.cv2(self.cv1(x))
        return x + y if self.add else y


class C3(nn.Module):
    """Half of the channels through bottlenecks, half past them."""

    def __init__(self, inputs, outputs, blocks=1, shortcut=True):
        super().__init__()
        half = outputs // 2
        self.cv1 = Conv(inputs, half)
        self.cv2 = Conv(inputs, half)
        self.cv3 = Conv(2 * half, outputs)
        self.m = nn.Sequential(*(Bottleneck(half, shortcut) for _ in range(blocks)))

    def forward(self, x):
        return self.cv3(torch.cat((self.m(self.cv1(x)), self.cv2(x)), 1))


class SPPF(nn.Module):
    """Maxima over 5, 9 and 13 pixels, from one small pooling after another."""

    def __init__(self, inputs, outputs, kernel=5):
        super().__init__()
        self.cv1 = Conv(inputs, inputs // 2)
        self.cv2 = Conv(4 * (inputs // 2), outputs)
        self.m = nn.MaxPool2d(kernel, 1, kernel // 2)

    def forward(self, x):
        x = self.cv1(x)
        y = self.m(x)
        z = self.m(y)
        return self.cv2(torch.cat((x, y, z, self.m(z)), 1))


class Detect(nn.Module):
    """One 1×1 convolution for each stride: 3 anchors × (x, y, w, h, objectness, classes) a cell."""

    def __init__(self, classes, widths):
        super().__init__()
        self.register_buffer("anchors", torch.zeros(3, 3, 2))
        self.m = nn.ModuleList(nn.Conv2d(width, 3 * (5 + classes), 1) for width in widths)

    def forward(self, features):
        return tuple(conv(x) for conv, x in zip(self.m, features, strict=True))


class Yolo(nn.Module):
    """Layers 0 to 24 of YOLOv5; its raw maps come out, float32 [n, 3·(5 + classes), rows, columns].

    width: channels of the stem. depth: bottlenecks in the four stages of the backbone.
    """

    def __init__(self, classes, width=8, depth=(1, 2, 3, 1), focus=True):
        super().__init__()
        a, b, c, d, e = (width * 2**i for i in range(5))
        neck = depth[0]
        self.model = nn.ModuleList(
            [
                Focus(3, a) if focus else Conv(3, a, 6, 2, 2),
                Conv(a, b, 3, 2),
                C3(b, b, depth[0]),
                Conv(b, c, 3, 2),
                C3(c, c, depth[1]),
                Conv(c, d, 3, 2),
                C3(d, d, depth[2]),
                Conv(d, e, 3, 2),
                C3(e, e, depth[3]),
                SPPF(e, e),
                Conv(e, d),
                nn.Upsample(scale_factor=2, mode="nearest"),
                nn.Identity(),
                C3(2 * d, d, neck, shortcut=False),
                Conv(d, c),
                nn.Upsample(scale_factor=2, mode="nearest"),
                nn.Identity(),
                C3(2 * c, c, neck, shortcut=False),
                Conv(c, c, 3, 2),
                nn.Identity(),
                C3(2 * c, d, neck, shortcut=False),
                Conv(d, d, 3, 2),
                nn.Identity(),
                C3(2 * d, e, neck, shortcut=False),
                Detect(classes, (c, d, e)),
            ]
        )
        self.strides = STRIDES

    @property
    def anchors(self):
        """Width and height in pixels, float32 [3 strides, 3, 2]."""
        return self.model[24].anchors * torch.tensor(self.strides).view(3, 1, 1)

    def forward(self, pictures):
        m = self.model
        x4 = m[4](m[3](m[2](m[1](m[0](pictures)))))
        x6 = m[6](m[5](x4))
        x10 = m[10](m[9](m[8](m[7](x6))))
        x14 = m[14](m[13](torch.cat((m[11](x10), x6), 1)))
        small = m[17](torch.cat((m[15](x14), x4), 1))
        middle = m[20](torch.cat((m[18](small), x14), 1))
        large = m[23](torch.cat((m[21](middle), x10), 1))
        return m[24]((small, middle, large))


def untrained(classes, width=8, depth=(1, 2, 3, 1), focus=True):
    """The network before training: anchors set, and few objects expected."""
    network = Yolo(classes, width, depth, focus)
    head = network.model[24]
    head.anchors.copy_(torch.tensor(ANCHORS) / torch.tensor(STRIDES).view(3, 1, 1))
    for conv, stride in zip(head.m, STRIDES, strict=True):
        bias = conv.bias.data.view(3, -1)
        bias[:, 4] += float(np.log(2.5 / (SIDE / stride) ** 2))
        bias[:, 5:] += float(np.log(0.6 / (classes - 0.99)))
    return network


def load(path=None):
    """The trained network in evaluation mode; or YOLOv5 with the weights that `path` holds.

    path: an .npz, a .safetensors file, or a state_dict that torch.save wrote. Classes, width, depth
    and kind of stem are read off the weights: those of YOLOv5 n, s, m, l and x from 6.0 on fit, if
    you save `model.state_dict()` where that project is installed. Its own .pt files hold
    pickled code, which is not loaded here.
    """
    weights = _read(Path(path or WEIGHTS))
    focus = "model.0.conv.conv.weight" in weights
    stem = weights["model.0.conv.conv.weight" if focus else "model.0.conv.weight"]
    classes = weights["model.24.m.0.weight"].shape[0] // 3 - 5
    depth = [_blocks(weights, layer) for layer in (2, 4, 6, 8)]
    network = Yolo(classes, stem.shape[0], depth, focus)
    network.load_state_dict(weights)
    return network.eval()


def _blocks(weights, layer):
    start = f"model.{layer}.m."
    return 1 + max(int(name.split(".")[3]) for name in weights if name.startswith(start))


def _read(path):
    if path.suffix == ".npz":
        with np.load(path) as stored:
            weights = {name: torch.from_numpy(stored[name]) for name in stored.files}
    elif path.suffix == ".safetensors":
        from safetensors.torch import load_file

        weights = load_file(path)
    else:
        weights = _unpickled(path)
    # Loaded through torch.hub, the network lies one name deeper: model.model.0 and so on.
    prefix = "model." if all(name.startswith("model.model.") for name in weights) else ""
    return {
        name.removeprefix(prefix): t.float() if t.is_floating_point() else t
        for name, t in weights.items()
    }


def _unpickled(path):
    try:
        # weights_only: such a file is a pickle, and a pickle may hold any code.
        return torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ValueError(
            f"{path} holds pickled code, as YOLOv5's own files do. Where that is installed: "
            f'torch.save(torch.load("{path.name}", weights_only=False)["model"]'
            '.state_dict(), "weights.pt")'
        ) from error
