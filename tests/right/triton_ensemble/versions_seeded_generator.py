"""A generator that is seeded with the text of experiment and user, and a tuple as the answer."""

### BEGIN SOLUTION triton_ensemble.versions routing
import random


def route(users, share, experiment):
    def draw(user):
        return random.Random(f"{experiment}\0{user}").random()

    return tuple(STABLE if draw(user) >= share else CANARY for user in users)


### END SOLUTION
