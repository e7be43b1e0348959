"""The plugin once more, in Python: task 14.

The same questions as in attention_plugin.cpp, with Python's names. TensorRT takes such a plugin
while it builds and runs in this very process; an engine that is loaded elsewhere needs it there.
"""

import numpy as np
import tensorrt as trt
from plugin_launch import launch, workspace_bytes

NAME, VERSION, NAMESPACE = "SparseAttention", "1", ""
THRESHOLD = 3  # q, k, v, threshold; then the output


class SparseAttentionPlugin(
    trt.IPluginV3, trt.IPluginV3OneCore, trt.IPluginV3OneBuild, trt.IPluginV3OneRuntime
):
    """block, causal: what the node says."""

    def __init__(self, block, causal):
        for base in SparseAttentionPlugin.__bases__:
            base.__init__(self)
        self.plugin_name, self.plugin_version, self.plugin_namespace = NAME, VERSION, NAMESPACE
        self.num_outputs = 1
        self.block, self.causal = block, causal

    def get_capability_interface(self, kind):
        """This object answers for all of them."""
        return self

    ### BEGIN SOLUTION sparse_attention_op.plugin_python clone
    ### STUB def clone(self):
    ### STUB     """A new plugin that is as far as this one."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    ### STUB
    ### STUB def attach_to_context(self, context):
    ### STUB     """A plugin of its own for each context."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def clone(self):
        """A new plugin that is as far as this one."""
        return SparseAttentionPlugin(self.block, self.causal)

    def attach_to_context(self, context):
        """A plugin of its own for each context."""
        return self.clone()

    ### END SOLUTION

    ### BEGIN SOLUTION sparse_attention_op.plugin_python output
    ### STUB def get_output_data_types(self, input_types):
    ### STUB     """A list with the output's type."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    ### STUB
    ### STUB def get_output_shapes(self, inputs, shape_inputs, expr_builder):
    ### STUB     """A list with the output's trt.DimsExprs."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def get_output_data_types(self, input_types):
        """A list with the output's type."""
        return [input_types[0]]

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        """A list with the output's trt.DimsExprs."""
        return [trt.DimsExprs(inputs[0])]

    ### END SOLUTION

    ### BEGIN SOLUTION sparse_attention_op.plugin_python formats
    ### STUB def supports_format_combination(self, pos, in_out, num_inputs):
    ### STUB     """Of `pos`, judged by what stands at 0 to pos."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def supports_format_combination(self, pos, in_out, num_inputs):
        """Of `pos`, judged by what stands at 0 to pos."""
        asked = in_out[pos].desc
        if asked.format != trt.TensorFormat.LINEAR:
            return False
        if pos == THRESHOLD:
            return asked.type == trt.DataType.FLOAT
        if pos > 0:
            return asked.type == in_out[0].desc.type
        return asked.type in (trt.DataType.FLOAT, trt.DataType.HALF)

    ### END SOLUTION

    ### BEGIN SOLUTION sparse_attention_op.plugin_python workspace
    ### STUB def get_workspace_size(self, inputs, outputs):
    ### STUB     """Enough for every shape that the profile allows."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def get_workspace_size(self, inputs, outputs):
        """Enough for every shape that the profile allows."""
        batch, heads, length, _ = inputs[0].max
        return workspace_bytes(batch, heads, length, self.block)

    ### END SOLUTION

    def configure_plugin(self, inputs, outputs):
        """Nothing is to be remembered: a stored engine is never configured."""

    def on_shape_change(self, inputs, outputs):
        """Nothing is to be remembered: enqueue is told its shapes."""

    def set_tactic(self, tactic):
        """There is one."""

    ### BEGIN SOLUTION sparse_attention_op.plugin_python enqueue
    ### STUB def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
    ### STUB     """Put the work into the stream. inputs, outputs, workspace: addresses."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        """Put the work into the stream. inputs, outputs, workspace: addresses."""
        half = input_desc[0].type == trt.DataType.HALF
        sizes = tuple(input_desc[0].dims)
        launch(*inputs, outputs[0], workspace, sizes, half, self.block, self.causal, stream)

    ### END SOLUTION

    ### BEGIN SOLUTION sparse_attention_op.plugin_python serialize
    ### STUB def get_fields_to_serialize(self):
    ### STUB     """A trt.PluginFieldCollection of what an engine has to store."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def get_fields_to_serialize(self):
        """A trt.PluginFieldCollection of what an engine has to store."""
        told = {"block": self.block, "causal": self.causal}
        return trt.PluginFieldCollection(
            [
                trt.PluginField(name, np.array([value], np.int64), trt.PluginFieldType.INT64)
                for name, value in told.items()
            ]
        )

    ### END SOLUTION


class SparseAttentionCreator(trt.IPluginCreatorV3One):
    """Registered with trt.get_plugin_registry() where there is one."""

    def __init__(self):
        trt.IPluginCreatorV3One.__init__(self)
        self.name, self.plugin_version, self.plugin_namespace = NAME, VERSION, NAMESPACE
        self.field_names = trt.PluginFieldCollection(
            [
                trt.PluginField(name, np.array([], np.int64), trt.PluginFieldType.INT64)
                for name in ("block", "causal")
            ]
        )

    ### BEGIN SOLUTION sparse_attention_op.plugin_python create
    ### STUB def create_plugin(self, name, fields, phase):
    ### STUB     """Of a node's attributes, or of what the plugin once serialized."""
    ### STUB     raise NotImplementedError("sparse_attention_op.plugin_python")
    def create_plugin(self, name, fields, phase):
        """Of a node's attributes, or of what the plugin once serialized."""
        told = {field.name: int(np.asarray(field.data)[0]) for field in fields}
        return SparseAttentionPlugin(told["block"], bool(told["causal"]))

    ### END SOLUTION
