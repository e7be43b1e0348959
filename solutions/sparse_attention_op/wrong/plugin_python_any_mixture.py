"""Takes float16 and float32 at each position, whatever the others are.

fails: plugin_python.planned
"""


class SparseAttentionPlugin:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python formats
    def supports_format_combination(self, pos, in_out, num_inputs):
        """Of `pos`, judged by what stands at 0 to pos."""
        asked = in_out[pos].desc
        if asked.format != trt.TensorFormat.LINEAR:
            return False
        if pos == THRESHOLD:
            return asked.type == trt.DataType.FLOAT
        return asked.type in (trt.DataType.FLOAT, trt.DataType.HALF)

    ### END SOLUTION
