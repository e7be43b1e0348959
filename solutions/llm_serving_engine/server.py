"""The core of an OpenAI-compatible server: requests in, batches for the model, pieces of text out.

It does no input or output of its own, so that it can be tested without a network:
`http_server.py` puts sockets around it, the check calls it directly.
"""

import json

from model import CHARACTERS

### BEGIN SOLUTION llm_serving_engine.serve
### STUB class Server:
### STUB     """Completions and chats over a pool of `blocks` blocks with room for `size` tokens.
### STUB
### STUB     At most `most_rows` requests run at a time; a batch has at most `most_tokens` tokens.
### STUB     """
### STUB
### STUB     def __init__(self, blocks: int, size: int, most_rows: int, most_tokens: int) -> None:
### STUB         raise NotImplementedError("llm_serving_engine.serve")
### STUB
### STUB     def receive(self, connection: int, method: str, path: str, body: str) -> None:
### STUB         """A request has arrived on a new connection."""
### STUB
### STUB     def disconnect(self, connection: int) -> None:
### STUB         """The client of this connection is gone."""
### STUB
### STUB     def schedule(self) -> list[dict]:
### STUB         """Rows of the next batch: {"connection", "tokens", "start", "table", "seed"}."""
### STUB
### STUB     def finish(self, tokens: list[int]) -> None:
### STUB         """What the model gave after each row of the batch."""
### STUB
### STUB     def output(self) -> list[dict]:
### STUB         """What is to be sent now: {"connection", "start": [status, content type]},
### STUB         {"connection", "body": text} and {"connection", "end": true}, in order."""
COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"
ROLES = ("system", "user", "assistant")


class Server:
    """Completions and chats over a pool of `blocks` blocks with room for `size` tokens.

    At most `most_rows` requests run at a time; a batch has at most `most_tokens` tokens.
    """

    def __init__(self, blocks: int, size: int, most_rows: int, most_tokens: int) -> None:
        self.blocks, self.size = blocks, size
        self.most_rows, self.most_tokens = most_rows, most_tokens
        self.unused = list(range(blocks))
        self.waiting: dict[int, _Request] = {}
        self.running: dict[int, _Request] = {}
        self.batch: list[dict] = []
        self.pieces: list[dict] = []

    def receive(self, connection: int, method: str, path: str, body: str) -> None:
        """A request has arrived on a new connection."""
        if method != "POST" or path not in (COMPLETIONS, CHAT):
            self._refuse(connection, 404, f"there is no {method} {path}")
            return
        try:
            request = _Request(connection, body, chat=path == CHAT)
        except (ValueError, TypeError, KeyError) as error:
            self._refuse(connection, 400, str(error))
            return
        if self._needed(request) > self.blocks:
            self._refuse(connection, 400, "prompt and max_tokens do not fit into memory")
            return
        self.waiting[connection] = request

    def disconnect(self, connection: int) -> None:
        """The client of this connection is gone."""
        self.waiting.pop(connection, None)
        request = self.running.pop(connection, None)
        if request is not None:
            self.unused += request.table

    def schedule(self) -> list[dict]:
        """Rows of the next batch: {"connection", "tokens", "start", "table", "seed"}."""
        self._admit()
        left, self.batch = self.most_tokens, []
        # Who waits for one token only goes first, so that no chunk of a prompt holds it up.
        requests = sorted(self.running.values(), key=lambda r: len(r.tokens) - r.computed > 1)
        for request in requests:
            tokens = request.tokens[request.computed :][:left]
            if tokens:
                self.batch.append(request.row(tokens))
                left -= len(tokens)
        return self.batch

    def finish(self, tokens: list[int]) -> None:
        """What the model gave after each row of the batch."""
        for row, token in zip(self.batch, tokens, strict=True):
            request = self.running.get(row["connection"])
            if request is None:
                continue
            request.computed += len(row["tokens"])
            if request.computed == len(request.tokens):
                self._generated(request, token)

    def output(self) -> list[dict]:
        """What is to be sent now: {"connection", "start": [status, content type]},
        {"connection", "body": text} and {"connection", "end": true}, in order."""
        pieces, self.pieces = self.pieces, []
        return pieces

    def _admit(self) -> None:
        """In order of arrival, with all blocks that a request can need: it is never preempted."""
        for connection, request in list(self.waiting.items()):
            count = self._needed(request)
            if len(self.running) == self.most_rows or count > len(self.unused):
                return
            request.table = [self.unused.pop() for _ in range(count)]
            self.running[connection] = self.waiting.pop(connection)

    def _needed(self, request) -> int:
        return -(-(len(request.tokens) + request.most) // self.size)

    def _generated(self, request, token: int) -> None:
        first = not request.streamed
        if first and request.stream:
            self._send(request.connection, "start", [200, "text/event-stream"])
            request.streamed = True
        if token:
            request.tokens.append(token)
            request.text += CHARACTERS[token]
        done = "stop" if not token else "length" if len(request.text) == request.most else None
        if request.stream:
            text = CHARACTERS[token] if token else ""
            self._event(request, json.dumps(request.answer(text, done, first=first)))
        if done is None:
            return
        if request.stream:
            self._event(request, "[DONE]")
        else:
            usage = {
                "prompt_tokens": request.prompt,
                "completion_tokens": len(request.text),
                "total_tokens": len(request.tokens),
            }
            answer = {**request.answer(request.text, done), "usage": usage}
            self._send(request.connection, "start", [200, "application/json"])
            self._send(request.connection, "body", json.dumps(answer))
        self._send(request.connection, "end", True)
        self.disconnect(request.connection)

    def _event(self, request, data: str) -> None:
        self._send(request.connection, "body", f"data: {data}\n\n")

    def _refuse(self, connection: int, status: int, message: str) -> None:
        error = {"message": message, "type": "invalid_request_error"}
        self._send(connection, "start", [status, "application/json"])
        self._send(connection, "body", json.dumps({"error": error}))
        self._send(connection, "end", True)

    def _send(self, connection: int, kind: str, value: object) -> None:
        self.pieces.append({"connection": connection, kind: value})


class _Request:
    """One completion or chat. ValueError, TypeError or KeyError for a body that is none."""

    def __init__(self, connection: int, body: str, *, chat: bool) -> None:
        given = json.loads(body)
        if not isinstance(given, dict):
            raise TypeError("the body is no JSON object")
        prompt = written(given["messages"]) if chat else given["prompt"]
        most = given.get("max_tokens", 16)
        self.most = given.get("max_completion_tokens", most) if chat else most
        self.chat, self.seed = chat, given.get("seed", 0)
        if not isinstance(prompt, str) or not prompt:
            raise TypeError("prompt must be a text that is not empty")
        if type(self.most) is not int or self.most < 1:
            raise TypeError("max_tokens must be a positive whole number")
        if type(self.seed) is not int or self.seed < 0:
            raise TypeError("seed must be a whole number, 0 or more")
        self.stream = given.get("stream", False)
        self.model = given.get("model", "decoder")
        self.connection = connection
        self.tokens = [CHARACTERS.index(character) for character in prompt]
        self.prompt = len(self.tokens)
        self.table: list[int] = []
        self.computed = 0
        self.text = ""
        self.streamed = False

    def row(self, tokens: list[int]) -> dict:
        return {
            "connection": self.connection,
            "tokens": tokens,
            "start": self.computed,
            "table": self.table,
            "seed": self.seed,
        }

    def answer(self, text: str, done: str | None, *, first: bool = True) -> dict:
        """A whole answer, or an event of a stream, the first of which says whose message it is."""
        message = {"content": text}
        if first:
            message["role"] = "assistant"
        if not self.chat:
            kind, said = "text_completion", {"text": text}
        elif self.stream:
            kind, said = "chat.completion.chunk", {"delta": message}
        else:
            kind, said = "chat.completion", {"message": message}
        choice = {"index": 0, **said, "logprobs": None, "finish_reason": done}
        return {
            "id": f"cmpl-{self.connection}",
            "object": kind,
            "model": self.model,
            "choices": [choice],
        }


def written(messages) -> str:
    """The prompt for a chat: its template. TypeError or KeyError for what is no chat."""
    if not isinstance(messages, list) or not messages:
        raise TypeError("messages must be a list that is not empty")
    prompt = ""
    for message in messages:
        role, content = message["role"], message["content"]
        if role not in ROLES or not isinstance(content, str):
            raise TypeError(f"a message has a role of {ROLES} and a text as content")
        prompt += f"{role}: {content}\n"
    return f"{prompt}assistant: "


### END SOLUTION


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
