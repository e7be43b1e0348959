"""Clones a plugin without what the node said.

fails: plugin_python.carried
"""


class SparseAttentionPlugin:
    ### BEGIN SOLUTION sparse_attention_op.plugin_python clone
    def clone(self):
        """A new plugin that is as far as this one."""
        return SparseAttentionPlugin(self.block, False)

    def attach_to_context(self, context):
        """A plugin of its own for each context."""
        return self.clone()

    ### END SOLUTION
