"""A class for a call, pauses from 100 ms that double up to seven times, and gevent.spawn with a timeout."""


### BEGIN SOLUTION triton_ensemble.client
import contextlib
import dataclasses

import gevent


class Deadline(Exception):
    pass


class Refused(Exception):
    pass


@dataclasses.dataclass
class Session:
    protocol: str
    client: object
    version: str
    ends: float

    @property
    def left(self):
        left = self.ends - time.monotonic()
        if left <= 0:
            raise Deadline
        return left

    def tensor(self, texts):
        module = tritonclient.http if self.protocol == "http" else tritonclient.grpc
        data = np.empty((len(texts), 1), dtype=object)
        for row, text in enumerate(texts):
            data[row, 0] = text.encode("utf-8")
        tensor = module.InferInput("TEXT", list(data.shape), "BYTES")
        tensor.set_data_from_numpy(data)
        return tensor

    def once(self, texts):
        inputs = [self.tensor(texts)]
        if self.protocol == "grpc":
            return self.client.infer(MODEL, inputs, model_version=self.version, client_timeout=self.left)
        greenlet = gevent.spawn(self.client.infer, MODEL, inputs, model_version=self.version)
        try:
            return greenlet.get(timeout=self.left)
        except gevent.Timeout:
            greenlet.kill(block=False)
            raise Deadline from None

    def stubbornly(self, texts):
        pause = 0.1
        for attempt in range(8):
            try:
                return self.once(texts)
            except InferenceServerException as error:
                status = str(error.status())
                if "DEADLINE_EXCEEDED" in status:
                    raise Deadline from None
                if not ("503" in status or "UNAVAILABLE" in status):
                    raise
            if attempt < 7:
                gevent.sleep(min(pause, self.left))
                pause *= 2
        raise Refused

    def batch(self, texts):
        try:
            result = self.stubbornly(texts)
        except Deadline:
            return [{"error": "deadline"} for _ in texts]
        except Refused:
            return [{"error": "refused"} for _ in texts]
        except InferenceServerException:
            return [{"error": "bad_request"} for _ in texts]
        pairs = zip(result.as_numpy("TOPIC").ravel(), result.as_numpy("CONFIDENCE").ravel().tolist())
        return [{"topic": topic.decode("utf-8"), "confidence": share} for topic, share in pairs]


def classify(texts, protocol, http_port, grpc_port, version, deadline_s):
    """An entry for each text, in order: {"topic": …, "confidence": …} or {"error": …}."""
    ends = time.monotonic() + deadline_s
    if protocol == "http":
        client = tritonclient.http.InferenceServerClient(url=f"127.0.0.1:{http_port}", concurrency=1)
    else:
        client = tritonclient.grpc.InferenceServerClient(url=f"127.0.0.1:{grpc_port}")
    with contextlib.closing(client):
        session = Session(protocol, client, "" if version is None else version, ends)
        return [
            entry
            for start in range(0, len(texts), MAX_BATCH_SIZE)
            for entry in session.batch(texts[start : start + MAX_BATCH_SIZE])
        ]
### END SOLUTION
