"""Makes a client for each batch: every request pays for a new connection.

fails: client.answers
"""

### BEGIN SOLUTION triton_ensemble.client
import gevent

REFUSED = ("503", "StatusCode.UNAVAILABLE")
LATE = "StatusCode.DEADLINE_EXCEEDED"
ATTEMPTS = 4
FIRST_PAUSE_S = 0.05


def classify(texts, protocol, http_port, grpc_port, version, deadline_s):
    """An entry for each text, in their order: {"topic": …, "confidence": …} or {"error": …}.

    protocol: "http" or "grpc"; the server is at 127.0.0.1, at one port for each.
    version: of the model, as text; None leaves it to the server.
    deadline_s: for the whole call, however many requests that takes.
    """
    ends = time.monotonic() + deadline_s
    http = protocol == "http"
    library, port = (tritonclient.http, http_port) if http else (tritonclient.grpc, grpc_port)
    entries = []
    for start in range(0, len(texts), MAX_BATCH_SIZE):
        batch = texts[start : start + MAX_BATCH_SIZE]
        with library.InferenceServerClient(f"127.0.0.1:{port}") as client:
            entries += entries_of(client, library, batch, version or "", ends)
    return entries


def entries_of(client, library, batch, version, ends):
    """Of one batch. Only a refusal is tried again."""
    for attempt in range(ATTEMPTS):
        try:
            result = ask(client, library, batch, version, ends - time.monotonic())
        except TimeoutError:
            return [{"error": "deadline"}] * len(batch)
        except InferenceServerException as error:
            if error.status() == LATE:
                return [{"error": "deadline"}] * len(batch)
            if error.status() not in REFUSED:
                return [{"error": "bad_request"}] * len(batch)
            pause = FIRST_PAUSE_S * 2**attempt
            time.sleep(max(0.0, min(pause, ends - time.monotonic())))
            continue
        topics = result.as_numpy("TOPIC")[:, 0]
        confidences = result.as_numpy("CONFIDENCE")[:, 0]
        return [
            {"topic": topic.decode(), "confidence": float(confidence)}
            for topic, confidence in zip(topics, confidences, strict=True)
        ]
    return [{"error": "refused"}] * len(batch)


def ask(client, library, batch, version, left):
    """One request, answered within `left` seconds. TimeoutError when it is not."""
    if left <= 0:
        raise TimeoutError
    tensor = library.InferInput("TEXT", [len(batch), 1], "BYTES")
    tensor.set_data_from_numpy(np.array([[text.encode()] for text in batch], np.object_))
    if library is tritonclient.grpc:
        return client.infer(MODEL, [tensor], version, client_timeout=left)
    # network_timeout is the client's, for each read of a socket; this is for the whole request.
    with gevent.Timeout(left, TimeoutError):
        return client.infer(MODEL, [tensor], version)


### END SOLUTION
