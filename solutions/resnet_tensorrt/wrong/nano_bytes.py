"""Takes the frames as bytes, which TensorRT 8.2 does not read.

fails: jetson_nano.fits
"""


### BEGIN SOLUTION resnet_tensorrt.jetson_nano camera
class BoardCamera(nn.Module):
    """As Camera, for frames that the host has made float, and with less left to compute.

    The order of the channels and the normalization's scale go into the first convolution's weights.
    The mean stays a subtraction: the convolution pads with zeros after it.
    """

    def __init__(self, network):
        super().__init__()
        self.network = network
        mean = 255 * torch.tensor(signs.MEAN).flip(0)
        deviation = 255 * torch.tensor(signs.DEVIATION).flip(0)
        self.register_buffer("mean", mean.view(3, 1, 1))
        weight = network.conv1.weight.data.flip(1) / deviation.view(3, 1, 1)
        network.conv1.weight = nn.Parameter(weight, requires_grad=False)

    def forward(self, frames):
        """float32 [batch, 64, 64, 3] in BGR order to probabilities [batch, 10]."""
        return self.network(frames.permute(0, 3, 1, 2).contiguous().float() - self.mean).softmax(1)


### END SOLUTION


### BEGIN SOLUTION resnet_tensorrt.jetson_nano
def export_for_nano(batch, target):
    """Write the network for TensorRT 8.2 on a Jetson Nano, as jetson_nano.json wants it.

    Input `frames`: float32 [batch, 64, 64, 3], BGR, 0 to 255, exactly `batch` of them.
    Output `probabilities`: float32 [batch, 10].
    """
    camera = BoardCamera(resnet.load()).eval()
    torch.onnx.export(
        camera,
        (torch.zeros(batch, signs.SIDE, signs.SIDE, 3, dtype=torch.uint8),),
        target,
        # The other exporter writes opset 18 or newer, whatever it is asked for.
        dynamo=False,
        opset_version=13,
        input_names=[FRAMES],
        output_names=[PROBABILITIES],
    )


### END SOLUTION
