"""Every batch norm folded in the layers, masks without ASP, PTQ by the layers' types."""

### BEGIN SOLUTION ssa_passes.mobilenet rewritten
def rewritten(path, target):
    model = network(path)
    for layer in model.sublayers():
        if not isinstance(layer, nn.Sequential):
            continue
        kernel, norm = layer[0], layer[1]
        scale = (norm.weight / paddle.sqrt(norm._variance + norm._epsilon)).numpy()
        folded = nn.Conv2D(
            kernel._in_channels,
            kernel._out_channels,
            kernel._kernel_size,
            stride=kernel._stride,
            padding=kernel._padding,
            groups=kernel._groups,
        )
        folded.weight.set_value(kernel.weight.numpy() * scale[:, None, None, None])
        folded.bias.set_value(norm.bias.numpy() - norm._mean.numpy() * scale)
        layer[0], layer[1] = folded, nn.Identity()
    with tempfile.TemporaryDirectory() as folder:
        capture(model, folder)
        pack(folder, target)


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet passes_for_cpu
def passes_for_cpu():
    fusions = "conv2d_bn_onednn", "conv2d_bias", "conv_activation_onednn"
    return ["depthwise_conv_onednn_pass"] + [f"{name}_fuse_pass" for name in fusions]


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet pruned
def pruned(path, pictures, target):
    model = network(path)
    images, labels = pictures_of(pictures)
    masks = [(weight, mask_of(weight.numpy())) for weight in model.parameters()]
    masks = [(weight, paddle.to_tensor(mask)) for weight, mask in masks if mask is not None]
    steps = paddle.optimizer.Momentum(0.03, parameters=model.parameters())
    model.train()
    for epoch in range(3):
        for first in range(0, len(images), 32):
            for weight, mask in masks:
                weight.set_value(weight * mask)
            scores = model(paddle.to_tensor(images[first : first + 32]))
            right = paddle.to_tensor(labels[first : first + 32])
            nn.functional.cross_entropy(scores, right).backward()
            steps.step()
            steps.clear_grad()
    for weight, mask in masks:
        weight.set_value(weight * mask)
    np.savez(target, **{name: each.numpy() for name, each in model.state_dict().items()})


def mask_of(weight):
    """The two largest of each four inputs; None where the layer keeps all."""
    if weight.ndim == 4 and weight.shape[1] % 4 == 0:
        inputs = np.moveaxis(weight, 1, -1)
    elif weight.ndim == 2:
        inputs = weight.T
    else:
        return None
    groups = np.abs(inputs).reshape(-1, 4)
    keep = np.zeros_like(groups)
    np.put_along_axis(keep, np.argsort(groups, 1)[:, 2:], 1.0, 1)
    keep = keep.reshape(inputs.shape)
    return np.moveaxis(keep, -1, 1) if weight.ndim == 4 else keep.T


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet quantized
def quantized(path, pictures, target):
    images, _ = pictures_of(pictures)
    config = QuantConfig(activation=None, weight=None)
    observer = AbsmaxObserver(quant_bits=8)
    kinds = [nn.Conv2D, nn.Linear, nn.ReLU, nn.AdaptiveAvgPool2D]
    config.add_type_config(kinds, activation=observer, weight=observer)
    method = PTQ(config)
    model = method.quantize(network(path), inplace=True)
    for first in range(0, 256, 64):
        model(paddle.to_tensor(images[first : first + 64]))
    model = method.convert(model, inplace=True)
    whole = {id(each.weight) for each in model.sublayers() if hasattr(each, "weight_quanter")}
    written = {}
    for name, value in model.state_dict().items():
        written[name] = np.int8(value.numpy()) if id(value) in whole else value.numpy()
    np.savez(target, **written)


### END SOLUTION
