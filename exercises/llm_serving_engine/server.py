"""The core of an OpenAI-compatible server: requests in, batches for the model, pieces of text out.

It does no input or output of its own, so that it can be tested without a network:
`http_server.py` puts sockets around it, the check calls it directly.
"""

import json

from model import CHARACTERS

### TASK llm_serving_engine.serve
class Server:
    """Completions and chats over a pool of `blocks` blocks with room for `size` tokens.

    At most `most_rows` requests run at a time; a batch has at most `most_tokens` tokens.
    """

    def __init__(self, blocks: int, size: int, most_rows: int, most_tokens: int) -> None:
        raise NotImplementedError("llm_serving_engine.serve")

    def receive(self, connection: int, method: str, path: str, body: str) -> None:
        """A request has arrived on a new connection."""

    def disconnect(self, connection: int) -> None:
        """The client of this connection is gone."""

    def schedule(self) -> list[dict]:
        """Rows of the next batch: {"connection", "tokens", "start", "table", "seed"}."""

    def finish(self, tokens: list[int]) -> None:
        """What the model gave after each row of the batch."""

    def output(self) -> list[dict]:
        """What is to be sent now: {"connection", "start": [status, content type]},
        {"connection", "body": text} and {"connection", "end": true}, in order."""


_served: list[Server] = []


def tick(text: str) -> dict:
    """What the check calls, over and over: the model's tokens for the last batch, then what has
    happened on connections; returns what is sent, and the next batch."""
    given = json.loads(text)
    if "limits" in given:
        _served[:] = [Server(**given["limits"])]
    (server,) = _served
    if given["tokens"] is not None:
        server.finish(given["tokens"])
    for name, *arguments in given["events"]:
        getattr(server, name)(*arguments)
    batch = server.schedule()
    return {"output": server.output(), "batch": batch}
