"""Leaves the file as it is, in the belief that the builder has a flag for float16.

fails: engine.half
"""

### BEGIN SOLUTION resnet_tensorrt.engine
SMALLEST, USUAL, LARGEST = 1, 32, 64
WORKSPACE_BYTES = 1 << 30


def in_half(source, target):
    """Write the ONNX model at `source` to `target` with its arithmetic in float16.

    Names, shapes and types of inputs and outputs stay.
    """
    Path(target).write_bytes(Path(source).read_bytes())


def build_engine(source, precision, cache, target):
    """Build a TensorRT engine from the ONNX model at `source` and write it to `target`.

    precision: "fp32", "fp16" or "int8". cache: the path of a timing cache, which is read if it is
    there and written afterwards. Batches from 1 to 64, made for 32; at most 1 GiB of workspace.
    RuntimeError with the parser's messages when the model cannot be read.
    """
    import tensorrt

    model = _typed(source, precision)
    logger = tensorrt.Logger(tensorrt.Logger.WARNING)
    builder = tensorrt.Builder(logger)
    network = builder.create_network(_strongly_typed(tensorrt))
    parser = tensorrt.OnnxParser(network, logger)
    if not parser.parse(model):
        errors = [str(parser.get_error(index)) for index in range(parser.num_errors)]
        raise RuntimeError("; ".join(errors))
    config = builder.create_builder_config()
    config.set_memory_pool_limit(tensorrt.MemoryPoolType.WORKSPACE, WORKSPACE_BYTES)
    config.add_optimization_profile(_profile(builder, network))
    timings = config.create_timing_cache(_content(cache))
    config.set_timing_cache(timings, ignore_mismatch=False)
    engine = builder.build_serialized_network(network, config)
    if engine is None:
        raise RuntimeError("no engine: the log says at which layer")
    Path(cache).write_bytes(config.get_timing_cache().serialize())
    Path(target).write_bytes(engine)


def _typed(source, precision):
    """The model's bytes with the types that the engine is to compute in.

    TensorRT 11 takes them from the model alone: BuilderFlag.FP16 and INT8 are gone.
    """
    import tempfile

    import onnx

    if precision == "fp16":
        with tempfile.TemporaryDirectory() as folder:
            in_half(source, f"{folder}/half.onnx")
            return _content(f"{folder}/half.onnx")
    operators = {node.op_type for node in onnx.load(source).graph.node}
    if precision == "int8" and "QuantizeLinear" not in operators:
        raise ValueError("an int8 engine needs a quantized model: one with QuantizeLinear in it")
    return _content(source)


def _strongly_typed(tensorrt):
    """TensorRT 10 has to be told; from 11 on it is always so, and the flag may go."""
    flag = getattr(tensorrt.NetworkDefinitionCreationFlag, "STRONGLY_TYPED", None)
    return 0 if flag is None else 1 << int(flag)


def _profile(builder, network):
    profile = builder.create_optimization_profile()
    frames = network.get_input(0)
    shapes = [(batch, *tuple(frames.shape)[1:]) for batch in (SMALLEST, USUAL, LARGEST)]
    profile.set_shape(frames.name, *shapes)
    return profile


def _content(path):
    file = Path(path)
    return file.read_bytes() if file.exists() else b""


### END SOLUTION
