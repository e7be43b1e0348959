"""Depthwise blocks folded in the layers, the pass for the rest; momentum; own layers for int8."""

### BEGIN SOLUTION ssa_passes.mobilenet rewritten
def rewritten(path, target):
    model = network(path)
    for layer in model.sublayers(include_self=True):
        if hasattr(layer, "_depthwise_conv"):
            convolution, norm, _ = layer._depthwise_conv
            gain = (norm.weight * paddle.rsqrt(norm._variance + norm._epsilon)).numpy()
            convolution.weight.set_value(convolution.weight.numpy() * gain[:, None, None, None])
            convolution.bias = paddle.create_parameter([len(gain)], "float32")
            convolution.bias.set_value(norm.bias.numpy() - gain * norm._mean.numpy())
            layer._depthwise_conv = nn.Sequential(convolution, nn.ReLU())
    where = tempfile.mkdtemp()
    capture(model, where)
    with loaded(where) as program:
        passes = paddle.pir.PassManager(2)
        passes.add_pass("conv2d_bn_fuse_pass", {})
        passes.add_pass("dead_code_elimination_pass", {})
        passes.run(program)
    pack(where, target)


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet passes_for_cpu
def passes_for_cpu():
    names = """
        add_shadow_output_after_dead_parameter_pass depthwise_conv_onednn_pass
        conv2d_bn_onednn_fuse_pass conv2d_bias_bn_onednn_fuse_pass conv2d_bias_fuse_pass
        conv_elementwise_add_onednn_fuse_pass conv_activation_onednn_fuse_pass
        onednn_placement_pass
    """
    return names.split()


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet pruned
def pruned(path, pictures, target):
    images, labels = pictures_of(pictures)
    rate = paddle.optimizer.lr.CosineAnnealingDecay(0.05, T_max=64)
    with old_ir():
        model = network(path)
        steps = paddle.optimizer.Momentum(rate, 0.9, parameters=model.parameters())
        steps = asp.decorate(steps)
        asp.prune_model(model)
        loss = nn.CrossEntropyLoss()
        model.train()
        for step in range(64):
            some = np.arange(64 * step, 64 * step + 64) % len(images)
            loss(model(paddle.to_tensor(images[some])), paddle.to_tensor(labels[some])).backward()
            steps.step()
            steps.clear_grad()
            rate.step()
    np.savez(target, **{name: np.asarray(value) for name, value in model.state_dict().items()})


### END SOLUTION


### BEGIN SOLUTION ssa_passes.mobilenet quantized
def quantized(path, pictures, target):
    observer = AbsmaxObserver()
    ptq = PTQ(QuantConfig(activation=observer, weight=observer))
    model = ptq.quantize(network(path))
    model(paddle.to_tensor(pictures_of(pictures)[0]))
    state = ptq.convert(model, inplace=True).state_dict()
    weights = [name for name, value in state.items() if name.endswith(".weight") and value.ndim > 1]
    state.update({name: state[name].astype(paddle.int8) for name in weights})
    np.savez_compressed(target, **{name: np.asarray(value) for name, value in state.items()})


### END SOLUTION
