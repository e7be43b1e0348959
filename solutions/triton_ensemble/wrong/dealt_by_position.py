"""Deals by the place in the list: who asks in other company gets another version.

fails: versions.correct
"""


### BEGIN SOLUTION triton_ensemble.versions routing
def route(users, share, experiment):
    import random

    rng = random.Random(experiment)
    return [CANARY if rng.random() < share else STABLE for _ in users]


### END SOLUTION
