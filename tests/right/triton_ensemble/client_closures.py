"""Closures for each protocol: gevent.with_timeout over HTTP, async_infer with a callback and a queue over gRPC."""


### BEGIN SOLUTION triton_ensemble.client
import queue

import gevent

PAUSES = [0.05, 0.1, 0.2, 0.4, 0.6]


def over_http(port, version):
    client = tritonclient.http.InferenceServerClient(f"localhost:{port}".replace("localhost", "127.0.0.1"))

    def infer(rows, left):
        tensor = tritonclient.http.InferInput("TEXT", rows.shape, "BYTES")
        tensor.set_data_from_numpy(rows, binary_data=True)
        late = object()
        result = gevent.with_timeout(left, client.infer, MODEL, [tensor], version, timeout_value=late)
        if result is late:
            raise TimeoutError
        return result

    return client, infer


def over_grpc(port, version):
    client = tritonclient.grpc.InferenceServerClient(f"127.0.0.1:{port}")

    def infer(rows, left):
        done = queue.Queue()
        tensor = tritonclient.grpc.InferInput("TEXT", rows.shape, "BYTES")
        tensor.set_data_from_numpy(rows)
        client.async_infer(
            MODEL, [tensor], lambda result, error: done.put((result, error)),
            model_version=version, client_timeout=left,
        )
        try:
            result, error = done.get(timeout=left + 0.2)
        except queue.Empty:
            raise TimeoutError from None
        if error is not None:
            if error.status() == "StatusCode.DEADLINE_EXCEEDED":
                raise TimeoutError
            raise error
        return result

    return client, infer


def classify(texts, protocol, http_port, grpc_port, version, deadline_s):
    """An entry for each text, in order: {"topic": …, "confidence": …} or {"error": …}."""
    until = time.monotonic() + deadline_s
    client, infer = {"http": lambda v: over_http(http_port, v), "grpc": lambda v: over_grpc(grpc_port, v)}[protocol](
        version or ""
    )
    entries = []
    for begin in range(0, len(texts), MAX_BATCH_SIZE):
        rows = np.array([t.encode() for t in texts[begin : begin + MAX_BATCH_SIZE]], dtype=object).reshape(-1, 1)
        waits = iter(PAUSES)
        while True:
            left = until - time.monotonic()
            if left <= 0:
                entries += [dict(error="deadline") for _ in rows]
                break
            try:
                result = infer(rows, left)
            except TimeoutError:
                entries += [dict(error="deadline") for _ in rows]
                break
            except InferenceServerException as error:
                if error.status() not in {"503", "StatusCode.UNAVAILABLE"}:
                    entries += [dict(error="bad_request") for _ in rows]
                    break
                pause = next(waits, None)
                if pause is None:
                    entries += [dict(error="refused") for _ in rows]
                    break
                time.sleep(min(pause, max(0, until - time.monotonic())))
                continue
            names = [name.decode() for name in result.as_numpy("TOPIC").reshape(-1)]
            shares = map(float, result.as_numpy("CONFIDENCE").reshape(-1))
            entries += [dict(topic=name, confidence=share) for name, share in zip(names, shares)]
            break
    client.close()
    return entries
### END SOLUTION
