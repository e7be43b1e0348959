"""Keeps the padding of the small convolution, which is half of what the large one needs.

fails: replace.stem
"""


### BEGIN SOLUTION yolo_on_mobile.replace stem
def merge_stems(graph):
    makers = {name: node for node in graph.node for name in node.output}
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for conv in [node for node in graph.node if node.op_type == "Conv"]:
        stacked = makers.get(conv.input[0])
        if stacked is None or stacked.op_type != "Concat":
            continue
        slices = [makers.get(name) for name in stacked.input]
        if not all(part is not None and part.op_type == "Slice" for part in slices):
            continue
        weight = values[conv.input[1]]
        out, channels, kernel, _ = weight.shape
        channels //= 4
        large = np.zeros((out, channels, 2 * kernel, 2 * kernel), np.float32)
        for place, part in enumerate(slices):
            down, right = values[part.input[1]]
            mine = weight[:, place * channels : (place + 1) * channels]
            large[:, :, down::2, right::2] = mine
        name = f"{conv.name}_merged"
        graph.initializer.append(numpy_helper.from_array(large, name))
        conv.input[0], conv.input[1] = slices[0].input[0], name
        pads = [p for a in conv.attribute if a.name == "pads" for p in a.ints]
        del conv.attribute[:]
        conv.attribute.append(helper.make_attribute("strides", [2, 2]))
        conv.attribute.append(helper.make_attribute("pads", pads or [0] * 4))
        for node in (stacked, *slices):
            graph.node.remove(node)
    used = {name for node in graph.node for name in node.input}
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)


### END SOLUTION
