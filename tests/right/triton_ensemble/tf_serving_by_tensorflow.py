"""Tensors by TensorFlow's own conversion; a request is checked in one function of early refusals."""

### BEGIN SOLUTION triton_ensemble.tf_serving
def to_array(tensor):
    shape = tuple(dim.size for dim in tensor.tensor_shape.dim)
    kind = next(name for name, number in tfs.TYPES.items() if number == tensor.dtype)
    count = 1
    for size in shape:
        count *= size
    if tensor.tensor_content:
        try:
            return np.frombuffer(tensor.tensor_content, dtype=kind).reshape(shape)
        except ValueError as error:
            raise tfs.Refused("INVALID_ARGUMENT", f"tensor_content: {error}") from None
    values = list(getattr(tensor, tfs.FIELDS[kind]))
    values += (values[-1:] or [b"" if kind == "bytes" else 0]) * (count - len(values))
    out = np.empty(count, object if kind == "bytes" else kind)
    if kind == "float16":
        out = np.array(values, np.uint16).view(np.float16)
    else:
        out[:] = values
    return out.reshape(shape)


def to_tensor(array):
    tensor = tfs.TensorProto()
    kind = "bytes" if array.dtype.kind == "O" else str(array.dtype)
    tensor.dtype = tfs.TYPES[kind]
    for size in array.shape:  # a scalar's shape stays unset
        tensor.tensor_shape.dim.add(size=size)
    flat = array.ravel()
    if kind == "float16":
        flat = flat.view(np.uint16)
    getattr(tensor, tfs.FIELDS[kind]).extend(flat.tolist())
    return tensor


class Server:
    def __init__(self, base, labels):
        import tensorflow as tf

        self.labels = labels
        self.models = {}
        for folder in Path(base).iterdir():
            versions = [v for v in folder.iterdir() if v.name.isdecimal()]
            self.models[folder.name] = {int(v.name): tf.saved_model.load(str(v)) for v in versions}

    def find(self, spec):
        versions = self.models.get(spec.name)
        if not versions:
            raise tfs.Refused("NOT_FOUND", spec.name)
        if spec.HasField("version"):
            number = spec.version.value
        elif spec.version_label:
            number = self.labels.get(spec.name, {}).get(spec.version_label)
            if number is None:
                raise tfs.Refused("INVALID_ARGUMENT", spec.version_label)
        else:
            number = sorted(versions)[-1]
        if number not in versions:
            raise tfs.Refused("NOT_FOUND", f"{spec.name} {number}")
        return number, versions[number]

    def predict(self, request):
        import tensorflow as tf

        number, model = self.find(request.model_spec)
        wanted = request.model_spec.signature_name or "serving_default"
        if wanted not in model.signatures:
            raise tfs.Refused("FAILED_PRECONDITION", wanted)
        function = model.signatures[wanted]
        specs = function.structured_input_signature[1]
        if set(specs) != set(request.inputs):
            raise tfs.Refused("INVALID_ARGUMENT", "inputs")
        names = list(request.output_filter)
        if len(names) != len(set(names)):
            raise tfs.Refused("INVALID_ARGUMENT", "an output twice")
        given = {}
        for name, spec in specs.items():
            array = to_array(request.inputs[name])
            if spec.dtype.as_numpy_dtype != array.dtype or not spec.shape.is_compatible_with(
                array.shape
            ):
                raise tfs.Refused("INVALID_ARGUMENT", name)
            given[name] = tf.convert_to_tensor(array)
        outputs = {name: value.numpy() for name, value in function(**given).items()}
        names = names or sorted(outputs)
        if not set(names) <= set(outputs):
            raise tfs.Refused("INVALID_ARGUMENT", "an unknown output")
        spec = {"name": request.model_spec.name, "signature_name": wanted}
        spec["version"] = {"value": number}
        tensors = {name: to_tensor(outputs[name]) for name in names}
        return tfs.PredictResponse(model_spec=spec, outputs=tensors)


### END SOLUTION
