"""Compiles again for each size of batch.

fails: backends.one_graph
"""


### BEGIN SOLUTION portable_trainer.backends compile
def compiled(model, compiler):
    """The model, compiled by `compiler`: one graph for all batches of 2 and more."""
    return torch.compile(model, backend=compiler, fullgraph=True, dynamic=False)


### END SOLUTION
