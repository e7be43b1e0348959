"""Folds the mean into a bias too; but the convolution pads with zeros, and not with the mean.

fails: jetson_nano.correct
"""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano camera
class BoardCamera(nn.Module):
    """As Camera, for frames that the host has made float, and with less left to compute.

    The order of the channels and the whole normalization go into the first convolution.
    """

    def __init__(self, network):
        super().__init__()
        self.network = network
        mean = 255 * torch.tensor(signs.MEAN).flip(0)
        deviation = 255 * torch.tensor(signs.DEVIATION).flip(0)
        weight = network.conv1.weight.data.flip(1) / deviation.view(3, 1, 1)
        network.conv1.weight = nn.Parameter(weight, requires_grad=False)
        bias = -(weight * mean.view(3, 1, 1)).sum((1, 2, 3))
        network.conv1.bias = nn.Parameter(bias, requires_grad=False)

    def forward(self, frames):
        """float32 [batch, 64, 64, 3] in BGR order to probabilities [batch, 10]."""
        return self.network(frames.permute(0, 3, 1, 2).contiguous()).softmax(1)


### END SOLUTION
