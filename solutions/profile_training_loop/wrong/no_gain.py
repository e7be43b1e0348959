"""Calls the slow loop under a new name: nothing was mended.

fails: train.fast_cpu
"""


### BEGIN SOLUTION profile_training_loop.train
def train(images, labels, plan, rate, initial, trained):
    """As slow_loop.train."""
    import slow_loop

    slow_loop.train(images, labels, plan, rate, initial, trained)


### END SOLUTION
