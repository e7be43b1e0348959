"""Lets the share into the hash: when it grows, other users get the canary, and some lose it.

fails: versions.correct
"""


### BEGIN SOLUTION triton_ensemble.versions routing
def route(users, share, experiment):
    return [CANARY if place(user, f"{experiment}-{share}") < share else STABLE for user in users]


def place(user, experiment):
    digest = hashlib.sha256(f"{experiment}/{user}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


### END SOLUTION
