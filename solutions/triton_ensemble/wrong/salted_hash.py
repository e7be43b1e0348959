"""Uses Python's own hash, which differs from process to process: a restart deals the users anew.

fails: versions.stable
"""


### BEGIN SOLUTION triton_ensemble.versions routing
def route(users, share, experiment):
    return [CANARY if place(user, experiment) < share else STABLE for user in users]


def place(user, experiment):
    return hash((experiment, user)) % 2**32 / 2**32


### END SOLUTION
