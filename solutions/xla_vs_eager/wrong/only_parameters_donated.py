"""Donates the parameters, and holds the momentum twice.

fails: donate.aliased
"""

### BEGIN SOLUTION xla_vs_eager.donate
import network


def export_donated(batch, width, target):
    """Write network.step for this batch and width to `target`, with its state donated."""
    network.export(network.step, network.abstract(batch, width), target, donated=(0,))


### END SOLUTION
