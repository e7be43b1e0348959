"""Keeps the fields themselves, whose memory is another one by the time it looks.

fails: plugin_python.planned
"""


class SparseAttentionPlugin:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python create
    def create_plugin(self, name, fields, phase):
        """Of a node's attributes, or of what the plugin once serialized."""
        told = {field.name: np.asarray(field.data) for field in fields}
        return SparseAttentionPlugin(told["block"][0:1], told["causal"][0:1])

    ### END SOLUTION
