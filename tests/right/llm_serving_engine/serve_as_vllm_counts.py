"""Requests as dataclasses; the usage counts the end token and has OpenAI's optional keys; types have a charset."""

### BEGIN SOLUTION llm_serving_engine.serve
import heapq
from dataclasses import dataclass, field


@dataclass
class Completion:
    connection: int
    tokens: list
    limit: int
    seed: int
    streams: bool
    prompt_length: int
    computed: int = 0
    generated: list = field(default_factory=list)
    table: list = field(default_factory=list)
    begun: bool = False
    chat: bool = False

    @classmethod
    def parse(cls, connection, body, chat):
        fields = json.loads(body)
        if chat:
            known = ("system", "user", "assistant")
            assert fields["messages"] and all(m["role"] in known for m in fields["messages"])
            template = "{0[role]}: {0[content]}\n"
            if not all(isinstance(m["content"], str) for m in fields["messages"]):
                raise ValueError("content: expected a text")
            prompt = "".join(map(template.format, fields["messages"])) + "assistant: "
            limit = fields.get("max_tokens", 16)
            fields["max_tokens"] = fields.get("max_completion_tokens", limit)
        else:
            prompt = fields["prompt"]
        limit = fields.get("max_tokens", 16)
        if not isinstance(prompt, str) or prompt == "":
            raise ValueError("prompt: expected a text")
        if isinstance(limit, bool) or not isinstance(limit, int) or limit <= 0:
            raise ValueError("max_tokens: expected a positive integer")
        tokens = [{c: i for i, c in enumerate(CHARACTERS)}[c] for c in prompt]
        seed, streams = fields.get("seed", 0), fields.get("stream", False)
        return cls(connection, tokens, limit, seed, streams, len(tokens), chat=chat)

    @property
    def text(self):
        return "".join(CHARACTERS[t] for t in self.generated if t != 0)

    @property
    def finish_reason(self):
        if self.generated and self.generated[-1] == 0:
            return "stop"
        return "length" if len(self.generated) >= self.limit else None

    def chunk(self, text, reason, **more):
        if self.chat:
            return self.chat_chunk({"content": text}, reason, **more)
        choice = {"index": 0, "text": text, "finish_reason": reason, "logprobs": None}
        return {"id": self.connection, "object": "text_completion", "choices": [choice], **more}

    def chat_chunk(self, said, reason, **more):
        name, kind = "delta", "chat.completion.chunk"
        if not self.streams:
            name, kind, said = "message", "chat.completion", {**said, "role": "assistant"}
        choice = {"index": 0, name: said, "finish_reason": reason}
        return {"id": self.connection, "object": kind, "choices": [choice], **more}

    def usage(self):
        n = len(self.generated)
        return {
            "prompt_tokens": self.prompt_length,
            "completion_tokens": n,
            "total_tokens": self.prompt_length + n,
            "prompt_tokens_details": {"cached_tokens": 0},
        }


class Server:
    def __init__(self, blocks, size, most_rows, most_tokens):
        self.total, self.size = blocks, size
        self.most_rows, self.most_tokens = most_rows, most_tokens
        self.heap = list(range(blocks))
        self.queue, self.active, self.outbox, self.last = [], [], [], []

    def receive(self, connection, method, path, body):
        if path not in ("/v1/completions", "/v1/chat/completions") or method != "POST":
            return self._error(connection, 404, "not found")
        try:
            request = Completion.parse(connection, body, "chat" in path)
        except Exception as error:
            return self._error(connection, 400, f"{type(error).__name__}: {error}")
        if self._blocks(request) > self.total:
            return self._error(connection, 400, "too long for the cache")
        self.queue.append(request)

    def disconnect(self, connection):
        self.queue = [r for r in self.queue if r.connection != connection]
        for request in [r for r in self.active if r.connection == connection]:
            self._release(request)

    def schedule(self):
        while self.queue and len(self.active) < self.most_rows:
            needed = self._blocks(self.queue[0])
            if needed > len(self.heap):
                break
            request = self.queue.pop(0)
            request.table = [heapq.heappop(self.heap) for _ in range(needed)]
            self.active.append(request)
        rows, budget = [], self.most_tokens
        decoding = [r for r in self.active if r.generated]
        prefilling = [r for r in self.active if not r.generated]
        for request in decoding + prefilling:
            tokens = (request.tokens + request.generated)[request.computed :]
            if budget and tokens:
                tokens = tokens[:budget]
                budget -= len(tokens)
                rows.append((request, tokens))
        self.last = rows
        return [
            {
                "connection": r.connection,
                "tokens": tokens,
                "start": r.computed,
                "table": r.table,
                "seed": r.seed,
            }
            for r, tokens in rows
        ]

    def finish(self, tokens):
        for (request, row), token in zip(self.last, tokens):
            if request not in self.active:
                continue
            request.computed += len(row)
            if request.computed < len(request.tokens) + len(request.generated):
                continue
            request.generated.append(token)
            if request.streams:
                self._stream(request, token)
            elif request.finish_reason:
                self._begin(request, 200, "application/json; charset=utf-8")
                answer = request.chunk(request.text, request.finish_reason, usage=request.usage())
                self._put(request.connection, body=json.dumps(answer))
                self._put(request.connection, end=True)
            if request.finish_reason:
                self._release(request)

    def output(self):
        out = self.outbox[:]
        self.outbox.clear()
        return out

    def _stream(self, request, token):
        if not request.begun:
            self._begin(request, 200, "text/event-stream; charset=utf-8")
            if request.chat:  # as vLLM, which says the role before there is a token
                event = json.dumps(request.chat_chunk({"role": "assistant", "content": ""}, None))
                self._put(request.connection, body="data: " + event + "\n\n")
        text = CHARACTERS[token] if token else ""
        event = json.dumps(request.chunk(text, request.finish_reason))
        self._put(request.connection, body="data: " + event + "\n\n")
        if request.finish_reason:
            self._put(request.connection, body="data: [DONE]\n\n")
            self._put(request.connection, end=True)

    def _begin(self, request, status, content):
        request.begun = True
        self._put(request.connection, start=[status, content])

    def _error(self, connection, status, message):
        body = {"error": {"message": message, "type": "invalid_request_error", "code": None}}
        self._put(connection, start=(status, "application/json"))
        self._put(connection, body=json.dumps(body))
        self._put(connection, end=True)

    def _put(self, connection, **piece):
        self.outbox.append({"connection": connection, **piece})

    def _blocks(self, request):
        # The last token is never computed, so it needs no slot.
        return (request.prompt_length + request.limit - 1 + self.size - 1) // self.size

    def _release(self, request):
        self.active.remove(request)
        for block in request.table:
            heapq.heappush(self.heap, block)


### END SOLUTION
