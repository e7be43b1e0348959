"""ResNet-50 at full width, with weights from a seed: the network of the tasks for a GPU.

Given. Two calls of `network` with the same seed return the same network.
"""

import torch
from resnet import ResNet50
from torch import nn

SIDE, CLASSES = 224, 1000
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def network(seed):
    """float32 [batch, 3, 224, 224] to logits [batch, 1000]; on the CPU, in evaluation mode."""
    torch.manual_seed(seed)
    made = ResNet50(64, CLASSES)
    for module in made.modules():
        if isinstance(module, nn.BatchNorm2d):
            nn.init.uniform_(module.weight, 0.3, 0.7)
            nn.init.uniform_(module.bias, -0.2, 0.2)
            nn.init.uniform_(module.running_mean, -0.2, 0.2)
            nn.init.uniform_(module.running_var, 0.5, 1.5)
    return made.eval()


@torch.no_grad()
def settled(seed):
    """As `network`, with the statistics of drawn pictures, so that its logits tell pictures apart.

    With random statistics the biases outweigh what a picture adds, and all logits are alike.
    """
    made = network(seed)
    coarse = 2 * torch.rand(8, 3, 7, 7) - 1
    pictures = nn.functional.interpolate(coarse, (SIDE, SIDE), mode="nearest")
    pictures += 0.1 * torch.randn(8, 3, SIDE, SIDE)
    for module in made.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0
    made.train()(pictures)
    return made.eval()
