"""Plain loops over dicts: decodes first, then prompts that can still be in time, in chunks of a budget."""


### BEGIN SOLUTION llm_serving_engine.scheduler
def decide(view):
    size, free, budget = view["block_size"], view["free_blocks"], view["most_tokens"]
    running = {r["id"]: r for r in view["running"]}
    run, preempt = {}, []

    def blocks_for(request, count):
        return -(-(request["computed"] + count) // size) - request["blocks"]

    decodes = [r for r in view["running"] if r["generated"] and r["tokens"] - r["computed"] == 1]
    for request in sorted(decodes, key=lambda r: r["arrived_ms"]):
        if request["id"] not in running or budget == 0:
            continue
        while blocks_for(request, 1) > free:
            able = [r for r in running.values() if r["id"] not in run and r is not request]
            if not able:
                break
            victim = max(able, key=lambda r: r["arrived_ms"])
            free += victim["blocks"]
            preempt.append(victim["id"])
            del running[victim["id"]]
        if blocks_for(request, 1) <= free:
            free -= blocks_for(request, 1)
            run[request["id"]], budget = 1, budget - 1
    step = view["step_ms"]
    ms = step["base"] + sum(
        step["row"] + step["token"] + step["context"] * running[i]["tokens"] for i in run
    )

    def chunk(request, most):
        count = min(request["tokens"] - request["computed"], most)
        count = min(count, (request["blocks"] + free) * size - request["computed"])

        def cost(c):
            seen = c * request["computed"] + c * (c + 1) / 2
            return step["row"] + step["token"] * c + step["context"] * seen

        while run and count > 0 and ms + cost(count) > 0.8 * view["tpot_ms"]:
            count -= 1
        return count, cost(max(count, 0))

    def late(request):
        if request["first_ms"] is not None:
            return 1
        waited = view["now_ms"] - request["arrived_ms"]
        if waited > view["patience_ms"] / 4:
            return 0
        expected = step["base"] + step["token"] * request["tokens"]
        return 2 if waited + expected > view["ttft_ms"] else 1

    decoding = {r["id"] for r in decodes}
    order = [r for r in running.values() if r["id"] not in decoding]
    order.sort(key=lambda r: (late(r), r["arrived_ms"]))
    queue = sorted(view["waiting"], key=lambda r: (late(r), r["arrived_ms"]))
    for request in order + ([] if preempt else queue):
        if budget == 0:
            break
        new = request["id"] not in running
        if new and len(running) >= view["most_rows"]:
            break
        if new and -(-request["tokens"] // size) + len(running) > free:
            break
        count, cost = chunk(request, budget)
        if count < 1:
            if new:
                break
            continue
        free -= blocks_for(request, count)
        run[request["id"]], budget, ms = count, budget - count, ms + cost
        if new:
            running[request["id"]] = request
    if not run:
        everybody = sorted([*view["running"], *view["waiting"]], key=lambda r: r["arrived_ms"])
        oldest = everybody[0]
        for other in reversed([r for r in everybody if r["id"] in running]):
            if other is oldest or (oldest["blocks"] + free) * size > oldest["computed"]:
                break
            free += other["blocks"]
            preempt.append(other["id"])
        room = (oldest["blocks"] + free) * size - oldest["computed"]
        run[oldest["id"]] = min(oldest["tokens"] - oldest["computed"], view["most_tokens"], room)
    return {"run": list(run.items()), "preempt": preempt}


### END SOLUTION
