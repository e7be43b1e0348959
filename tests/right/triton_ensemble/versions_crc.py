"""Two keyed BLAKE2 bytes short of a hash table: integers compared with a scaled limit, by map."""

### BEGIN SOLUTION triton_ensemble.versions routing
import hashlib


def route(users, share, experiment):
    key = hashlib.blake2b(experiment.encode(), digest_size=32).digest()

    def ensemble(user):
        number = int(hashlib.blake2s(user.encode(), key=key, digest_size=6).hexdigest(), 16)
        return {True: CANARY, False: STABLE}[number < share * (1 << 48)]

    return list(map(ensemble, users))


### END SOLUTION
