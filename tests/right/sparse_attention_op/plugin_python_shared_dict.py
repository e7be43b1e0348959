"""Clones share one dict, as the samples do; shapes are set axis by axis; both attributes are stored as bytes."""


class SparseAttentionPlugin:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python clone
    def clone(self):
        """A new plugin that is as far as this one."""
        made = SparseAttentionPlugin(None, None)
        made.__dict__.update(self.__dict__)
        return made

    def attach_to_context(self, context):
        """A plugin of its own for each context."""
        return self.clone()

    ### END SOLUTION
    ### BEGIN SOLUTION sparse_attention_op.plugin_python output
    def get_output_data_types(self, input_types):
        """A list with the output's type."""
        return input_types[:1]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        """A list with the output's trt.DimsExprs."""
        result = trt.DimsExprs(len(inputs[0]))
        for axis in range(len(inputs[0])):
            result[axis] = inputs[0][axis]
        return [result]

    ### END SOLUTION
    ### BEGIN SOLUTION sparse_attention_op.plugin_python formats
    def supports_format_combination(self, pos, in_out, num_inputs):
        """Of `pos`, judged by what stands at 0 to pos."""
        desc, first = in_out[pos].desc, in_out[0].desc
        allowed = {
            0: (trt.DataType.FLOAT, trt.DataType.HALF),
            THRESHOLD: (trt.DataType.FLOAT,),
        }.get(pos, (first.type,))
        return desc.format is trt.TensorFormat.LINEAR and desc.type in allowed

    ### END SOLUTION
    ### BEGIN SOLUTION sparse_attention_op.plugin_python workspace
    def get_workspace_size(self, inputs, outputs):
        """Enough for every shape that the profile allows."""
        *largest, _ = outputs[0].max
        return -(-workspace_bytes(*largest, self.told["block"]) // 512) * 512

    ### END SOLUTION
    ### BEGIN SOLUTION sparse_attention_op.plugin_python enqueue
    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        """Put the work into the stream. inputs, outputs, workspace: addresses."""
        q, k, v, threshold = inputs
        launch(
            q=q,
            k=k,
            v=v,
            threshold=threshold,
            out=outputs[0],
            workspace=workspace,
            sizes=tuple(output_desc[0].dims),
            half=output_desc[0].type == trt.DataType.HALF,
            stream=stream,
            **self.told,
        )

    ### END SOLUTION
    ### BEGIN SOLUTION sparse_attention_op.plugin_python serialize
    def get_fields_to_serialize(self):
        """A trt.PluginFieldCollection of what an engine has to store."""
        kind = trt.PluginFieldType.CHAR
        data = b"%d,%d" % (self.told["block"], self.told["causal"])
        return trt.PluginFieldCollection([trt.PluginField("node", data, kind)])

    ### END SOLUTION


class SparseAttentionCreator:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python create
    def create_plugin(self, name, fields, phase):
        """Of a node's attributes, or of what the plugin once serialized."""
        if phase == trt.TensorRTPhase.RUNTIME:
            block, causal = map(int, bytes(fields[0].data).split(b","))
        else:
            data = {field.name: field.data for field in fields}
            block, causal = (int(data[key].item()) for key in ("block", "causal"))
        plugin = SparseAttentionPlugin(block, causal)
        plugin.told = {"block": block, "causal": causal == 1}
        return plugin

    ### END SOLUTION
