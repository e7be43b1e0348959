"""Rules: a queue too long for the first token's limit sends a prompt to the decoder with time to spare."""

### BEGIN SOLUTION llm_serving_frontier.prefill_router
def place(view):
    workers = view["workers"]
    n = view["request"]["prompt"]

    def ms(tokens):
        return tokens * view["token_ms"] + view["base_ms"] * (1 + tokens // view["most_tokens"])

    def gap(d, more=0):
        prompts = (d["queued_tokens"] + more) / 75
        return view["base_ms"] + view["token_ms"] * (d["decoding"] + prompts)

    decoder = min((w for w in workers if w["role"] == "decode"), key=gap)
    prefiller = min(
        (w for w in workers if w["role"] == "prefill"), key=lambda w: w["queued_tokens"]
    )
    there = prefiller["busy_ms"] + ms(prefiller["queued_tokens"] + n)
    here = decoder["busy_ms"] + ms(decoder["queued_tokens"] + n)
    spare = gap(decoder, n) < 0.95 * view["tpot_ms"]
    stay = here < view["ttft_ms"] and spare and (there > 0.9 * view["ttft_ms"] or n < 120)
    return [(decoder if stay else prefiller)["id"], decoder["id"]]


### END SOLUTION
