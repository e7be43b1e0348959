"""A network of new layers without batch norms; AdamW, then masks; weights rounded by hand."""

### BEGIN SOLUTION ssa_passes.mobilenet rewritten
class Folded(nn.Layer):
    def __init__(self, model):
        super().__init__()
        pairs = [s for s in model.sublayers() if type(s).__name__ == "ConvNormActivation"]
        self.steps = nn.LayerList([self.one(pair[0], pair[1]) for pair in pairs])
        self.fc = model.fc

    def one(self, kernel, norm):
        new = nn.Conv2D(
            kernel._in_channels,
            kernel._out_channels,
            kernel._kernel_size,
            kernel._stride,
            kernel._padding,
            groups=kernel._groups,
        )
        gain = norm.weight / paddle.sqrt(norm._variance + norm._epsilon)
        new.weight.set_value(kernel.weight * gain[:, None, None, None])
        new.bias.set_value(norm.bias - gain * norm._mean)
        return new

    def forward(self, x):
        for step in self.steps:
            x = nn.functional.relu(step(x))
        return self.fc(x.mean([2, 3]))


def rewritten(path, target):
    model = Folded(network(path))
    model.eval()
    with tempfile.TemporaryDirectory() as folder:
        capture(model, folder)
        pack(folder, target)


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet passes_for_cpu
def passes_for_cpu():
    fuse = ("conv2d_bn_onednn_fuse_pass", "conv2d_bias_fuse_pass")
    return ["onednn_placement_pass", "depthwise_conv_onednn_pass", *fuse][1:] + [
        "conv_activation_onednn_fuse_pass",
        "dead_code_elimination_pass",
    ]


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet pruned
def pruned(path, pictures, target):
    model = network(path)
    images, labels = pictures_of(pictures)
    asp.prune_model(model, mask_algo="mask_1d", with_mask=False)
    masks = {p.name: (p != 0).astype("float32") for p in model.parameters() if p.ndim > 1}
    optimizer = paddle.optimizer.AdamW(2e-3, parameters=model.parameters(), weight_decay=0.0)
    model.train()
    for seed in range(4):
        order = np.random.default_rng(seed).permutation(len(images))
        for some in np.array_split(order, 16):
            answer = model(paddle.to_tensor(images[some]))
            nn.functional.cross_entropy(answer, paddle.to_tensor(labels[some])).backward()
            optimizer.step()
            optimizer.clear_grad()
            for parameter in model.parameters():
                if parameter.name in masks:
                    parameter.set_value(parameter * masks[parameter.name])
    np.savez(target, **{key: value.numpy() for key, value in model.state_dict().items()})


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet quantized
def quantized(path, pictures, target):
    images, _ = pictures_of(pictures)
    ptq = PTQ(QuantConfig(activation=AbsmaxObserver(8), weight=AbsmaxObserver(8)))
    watched = ptq.quantize(network(path))
    for some in np.array_split(images, 10):
        watched(paddle.to_tensor(some))
    with_floats = ptq.convert(watched, remain_weight=True).state_dict()
    arrays = {name: value.numpy() for name, value in with_floats.items()}
    for name, scale in list(arrays.items()):
        layer, found, _ = name.partition(".weight_quanter._dequanter._scales")
        if found:
            weight = arrays[f"{layer}.weight"] / scale * 127
            arrays[f"{layer}.weight"] = np.clip(np.rint(weight), -127, 127).astype(np.int8)
    np.savez(target, **{n: a for n, a in arrays.items() if "weight_quanter._quanter" not in n})


### END SOLUTION
