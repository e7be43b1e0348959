"""Which users get version 2. Triton serves versions; the router in front of it chooses one."""

import hashlib

STABLE, CANARY = "topics", "topics_canary"


### TASK triton_ensemble.versions routing
def route(users, share, experiment):
    """The ensemble for each user: "topics" or "topics_canary", in a list.

    users: names. share: of the users who get the canary, 0 to 1. experiment: a name.
    """
    raise NotImplementedError("triton_ensemble.versions")
