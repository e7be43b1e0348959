"""Deals users into a hundred parts: a share of 0.3 % becomes one of 1 %.

fails: versions.correct
"""


### BEGIN SOLUTION triton_ensemble.versions routing
def route(users, share, experiment):
    return [CANARY if percent(user, experiment) < 100 * share else STABLE for user in users]


def percent(user, experiment):
    digest = hashlib.sha256(f"{experiment}/{user}".encode()).digest()
    return int.from_bytes(digest[:8], "big") % 100


### END SOLUTION
