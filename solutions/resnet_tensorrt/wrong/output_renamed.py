"""Bypasses an Identity before an output of the graph by giving the output another name.

fails: remove_noops.identities
"""


### BEGIN SOLUTION resnet_tensorrt.remove_noops outputs
def make_outputs(graph, rewritten):
    """Behind what is kept."""
    for value in graph.output:
        value.name = rewritten.supplied(value.name)


### END SOLUTION
