"""Buckets from the name-based UUIDs of RFC 4122."""

### BEGIN SOLUTION triton_ensemble.versions routing
import functools
import uuid


@functools.lru_cache(maxsize=None)
def namespace(experiment):
    return uuid.uuid5(uuid.NAMESPACE_DNS, experiment)


def route(users, share, experiment):
    limit = round(share * 2**32)
    chosen = []
    for user in users:
        bucket = uuid.uuid5(namespace(experiment), user).int & 0xFFFFFFFF
        chosen.append(CANARY if bucket < limit else STABLE)
    return chosen


### END SOLUTION
