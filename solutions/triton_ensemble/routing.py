"""Which users get version 2. Triton serves versions; the router in front of it chooses one."""

import hashlib

STABLE, CANARY = "topics", "topics_canary"


### BEGIN SOLUTION triton_ensemble.versions routing
### STUB def route(users, share, experiment):
### STUB     """The ensemble for each user: "topics" or "topics_canary", in a list.
### STUB
### STUB     users: names. share: of the users who get the canary, 0 to 1. experiment: a name.
### STUB     """
### STUB     raise NotImplementedError("triton_ensemble.versions")
def route(users, share, experiment):
    """The ensemble for each user: "topics" or "topics_canary", in a list.

    users: names. share of users who get the canary, 0 to 1. experiment: a name.
    """
    return [CANARY if place(user, experiment) < share else STABLE for user in users]


def place(user, experiment):
    """Between 0 and 1, the same on every machine and on every day."""
    digest = hashlib.sha256(f"{experiment}/{user}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


### END SOLUTION
