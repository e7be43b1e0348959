"""The predicted time of the first token, in milliseconds, with the steps that a prompt needs."""

### BEGIN SOLUTION llm_serving_frontier.cache_router
def route(view):
    best, least = None, float("inf")
    for worker in view["workers"]:
        ahead = worker["queued_tokens"] + view["request"]["prompt"] - worker["cached_tokens"]
        rows = worker["decoding"]
        steps = 1 + ahead // max(1, view["most_tokens"] - rows)
        ms = worker["busy_ms"] + steps * view["base_ms"]
        ms += view["token_ms"] * (ahead + 30 * rows)
        if ms < least:
            best, least = worker["id"], ms
    return best


### END SOLUTION
