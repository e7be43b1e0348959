"""Calls the slow loop: nothing was gained.

fails: train_resnet50.fast_cpu
"""


### BEGIN SOLUTION profile_training_loop.train_resnet50
def train_resnet50(records, plan, rate, initial, trained):
    """As slow_cifar.train_resnet50."""
    import slow_cifar

    slow_cifar.train_resnet50(records, plan, rate, initial, trained)


### END SOLUTION
