"""One DataLoader over the batches of all epochs, so that no epoch begins; prefetch by events in a heap."""


### BEGIN SOLUTION profile_training_loop.load_photos train
def train_on_photos(files, labels, plan, rate, initial, trained):
    model = ResNet(SMALL).to(DEVICE)
    unpack(model, initial)
    model.train()
    optimizer = torch.optim.SGD(
        model.parameters(), lr=rate, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY, fused=True
    )
    batches = plan.flatten(0, 1).tolist()
    loader = DataLoader(
        Photos(files, labels), batch_sampler=batches, num_workers=2, prefetch_factor=8
    )
    for inputs, targets in loader:
        optimizer.zero_grad(set_to_none=True)
        cross_entropy(model(inputs.to(DEVICE)), targets.to(DEVICE)).backward()
        optimizer.step()
    pack(model, trained)


### END SOLUTION


### BEGIN SOLUTION profile_training_loop.load_photos prefetch
def prefetch(load_ms, step_ms, workers, most):
    lengths = {factor: simulated(load_ms, step_ms, workers, factor) for factor in range(1, most + 1)}
    shortest = min(lengths.values())
    return {
        "epoch_ms": list(lengths.values()),
        "prefetch_factor": min(f for f, ms in lengths.items() if ms <= shortest * 1.01),
    }


def simulated(load_ms, step_ms, workers, factor):
    import heapq

    queues = [[] for _ in range(workers)]
    asked, loaded, idle = 0, set(), set(range(workers))
    events, now, number = [], 0.0, 0

    def ask():
        nonlocal asked
        if asked < len(load_ms):
            queues[asked % workers].append(asked)
            asked += 1

    def begin():
        for worker in sorted(idle):
            if queues[worker]:
                batch = queues[worker].pop(0)
                heapq.heappush(events, (now + load_ms[batch], "loaded", batch))
                idle.discard(worker)

    for _ in range(workers * factor):
        ask()
    waiting = True
    while number < len(load_ms) or events:
        begin()
        if waiting and number in loaded:
            number, waiting = number + 1, False
            ask()
            begin()
            heapq.heappush(events, (now + step_ms, "stepped", -1))
        if not events:
            break
        now, what, batch = heapq.heappop(events)
        if what == "loaded":
            loaded.add(batch)
            idle.add(batch % workers)
        else:
            waiting = True
    return now


### END SOLUTION
