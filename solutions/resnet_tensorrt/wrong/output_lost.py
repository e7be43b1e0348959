"""Takes out an Identity that makes an output of the graph, and nobody makes it any more.

fails: remove_noops.identities
"""


### BEGIN SOLUTION resnet_tensorrt.remove_noops outputs
def make_outputs(graph, rewritten):
    """Behind what is kept."""
    for value in graph.output:
        rewritten.supplied(value.name)


### END SOLUTION
