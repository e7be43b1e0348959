"""Launches on the default stream instead of the one that it is given.

fails: plugin_python.enqueued
"""


class SparseAttentionPlugin:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python enqueue
    def enqueue(self, input_desc, output_desc, inputs, outputs, workspace, stream):
        """Put the work into the stream. inputs, outputs, workspace: addresses."""
        half = input_desc[0].type == trt.DataType.HALF
        sizes = tuple(input_desc[0].dims)
        launch(*inputs, outputs[0], workspace, sizes, half, self.block, self.causal, 0)

    ### END SOLUTION
