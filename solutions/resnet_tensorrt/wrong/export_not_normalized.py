"""Only brings the bytes to between 0 and 1, and leaves mean and deviation out.

fails: export.correct
"""


### BEGIN SOLUTION resnet_tensorrt.export camera
class Camera(nn.Module):
    """The network with what comes before and after it, so that no caller can get that wrong."""

    def __init__(self, network):
        super().__init__()
        self.network = network
        self.register_buffer("mean", torch.tensor(signs.MEAN).view(3, 1, 1))
        self.register_buffer("deviation", torch.tensor(signs.DEVIATION).view(3, 1, 1))

    def forward(self, frames):
        """uint8 [batch, 64, 64, 3] in BGR order to probabilities [batch, 10]."""
        rgb = frames.flip(-1).permute(0, 3, 1, 2)
        # Contiguous: else the pooling is exported as it is for channels_last, by strides.
        scaled = rgb.contiguous().float() / 255
        return self.network(scaled).softmax(1)


### END SOLUTION
