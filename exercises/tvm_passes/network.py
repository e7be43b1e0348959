"""The network that is imported: a small residual network over 16 x 16 pictures.

It stands as training left it, in training mode: its batch normalizations would use, and change,
the batch that they are given, and its dropout would drop. Its running statistics are far from
their initial 0 and 1, as those of a trained network are.
"""

import torch
from torch import nn

SIDE = 16
CLASSES = 5
CHANNELS = 3


class Block(nn.Module):
    """Two convolutions and what they skip."""

    def __init__(self, width):
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(x + self.bn2(self.conv2(y)))


class SmallNetwork(nn.Module):
    """float32 [batch, 3, 16, 16] to float32 [batch, 5]."""

    def __init__(self, width=8, blocks=1):
        super().__init__()
        self.stem = nn.Conv2d(CHANNELS, width, 3, stride=2, padding=1)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(blocks)))
        self.norm = nn.LayerNorm(width)
        self.dropout = nn.Dropout(0.3)
        self.head = nn.Linear(width, CLASSES)

    def forward(self, x):
        x = self.blocks(torch.relu(self.stem(x)))
        return self.head(self.dropout(self.norm(x.mean((2, 3)))))


def load(seed, width=8, blocks=1):
    """The network with the weights that belong to `seed`, in training mode."""
    model = SmallNetwork(width, blocks)
    numbers = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, values in model.state_dict().items():
            if name.endswith("num_batches_tracked"):
                continue
            drawn = torch.randn(values.shape, generator=numbers)
            values.copy_(_scaled(name, drawn))
    return model.train()


def _scaled(name, drawn):
    """Drawn numbers as such a parameter has them: variances positive, weights small."""
    if name.endswith("running_var"):
        return 0.5 + drawn.abs()
    if drawn.dim() > 1:
        return drawn / drawn[0].numel() ** 0.5
    return 0.3 * drawn + (1.0 if name.endswith("weight") else 0.0)
