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

    ### TASK sparse_attention_op.plugin_python clone
    def clone(self):
        """A new plugin that is as far as this one."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    def attach_to_context(self, context):
        """A plugin of its own for each context."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    ### TASK sparse_attention_op.plugin_python output
    def get_output_data_types(self, input_types):
        """A list with the output's type."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    def get_output_shapes(self, inputs, shape_inputs, expr_builder):
        """A list with the output's trt.DimsExprs."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    ### TASK sparse_attention_op.plugin_python formats
    def supports_format_combination(self, pos, in_out, num_inputs):
        """Of `pos`, judged by what stands at 0 to pos."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    ### TASK sparse_attention_op.plugin_python workspace
    def get_workspace_size(self, inputs, outputs):
        """Enough for every shape that the profile allows."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    def configure_plugin(self, inputs, outputs):
        """Nothing is to be remembered: a stored engine is never configured."""

    def on_shape_change(self, inputs, outputs):
        """Nothing is to be remembered: enqueue is told its shapes."""

    def set_tactic(self, tactic):
        """There is one."""

    ### TASK sparse_attention_op.plugin_python enqueue
    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        """Put the work into the stream. inputs, outputs, workspace: addresses."""
        raise NotImplementedError("sparse_attention_op.plugin_python")

    ### TASK sparse_attention_op.plugin_python serialize
    def get_fields_to_serialize(self):
        """A trt.PluginFieldCollection of what an engine has to store."""
        raise NotImplementedError("sparse_attention_op.plugin_python")


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

    ### TASK sparse_attention_op.plugin_python create
    def create_plugin(self, name, fields, phase):
        """Of a node's attributes, or of what the plugin once serialized."""
        raise NotImplementedError("sparse_attention_op.plugin_python")
