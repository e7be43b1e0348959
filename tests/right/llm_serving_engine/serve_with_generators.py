"""Each request is a generator that is sent the model's tokens and yields what it wants computed."""


### BEGIN SOLUTION llm_serving_engine.serve
class Malformed(Exception):
    pass


def fields_of(body, chat):
    try:
        given = json.loads(body)
    except ValueError as error:
        raise Malformed("not JSON") from error
    if type(given) is not dict:
        raise Malformed("not an object")
    given = {"max_tokens": 16, "stream": False, "seed": 0, "prompt": None, **given}
    if chat:
        given["max_tokens"] = given.get("max_completion_tokens", given["max_tokens"])
        turns = given.get("messages")
        if type(turns) is not list or len(turns) == 0:
            raise Malformed("no messages")
        lines = []
        for turn in turns:
            role, content = turn.get("role"), turn.get("content")
            if role not in {"user", "system", "assistant"} or type(content) is not str:
                raise Malformed("no message")
            lines.append(": ".join([role, content]))
        given["prompt"] = "\n".join([*lines, "assistant: "])
    given["chat"] = chat
    if type(given["prompt"]) is not str or not given["prompt"]:
        raise Malformed("no prompt")
    if set(given["prompt"]) - set(CHARACTERS):
        raise Malformed("characters without a token")
    if type(given["max_tokens"]) is not int or given["max_tokens"] < 1:
        raise Malformed("max_tokens")
    return given


class Server:
    def __init__(self, blocks, size, most_rows, most_tokens):
        self.blocks, self.size = blocks, size
        self.rows, self.tokens = most_rows, most_tokens
        self.free = set(range(blocks))
        self.waiting = {}
        self.states = {}
        self.sent = []
        self.plan = []

    def receive(self, connection, method, path, body):
        def refuse(status, why):
            text = json.dumps({"error": {"message": why, "type": "invalid_request_error"}})
            self.send(
                connection, ("start", [status, "application/json"]), ("body", text), ("end", True)
            )

        if [method, path[:4], path[-12:]] != ["POST", "/v1/", "/completions"]:
            refuse(404, f"{method} {path}?")
            return
        try:
            given = fields_of(body, path.count("/") == 3)
        except Malformed as error:
            refuse(400, str(error))
            return
        if -(-(len(given["prompt"]) + given["max_tokens"]) // self.size) > self.blocks:
            refuse(400, "longer than the memory")
            return
        self.waiting[connection] = given

    def send(self, connection, *pieces):
        self.sent.extend({"connection": connection, kind: value} for kind, value in pieces)

    def life(self, connection, given):
        """Yields (tokens still to compute, start); gets (how many were computed, token)."""
        known = list(map(CHARACTERS.index, given["prompt"]))
        count, done, written = 0, 0, ""

        def answer(text, reason):
            choice = {"text": text, "index": 0, "finish_reason": reason}
            if given["chat"]:
                whole = {"role": "assistant", "content": text}
                choice["delta" if given["stream"] else "message"] = whole
                kind = "chat.completion" + ".chunk" * given["stream"]
                return {"object": kind, "id": f"c{connection}", "choices": [choice]}
            return {"object": "text_completion", "id": f"c{connection}", "choices": [choice]}

        if_stream = given["stream"]
        while True:
            computed, token = yield known[done:], done
            done += computed
            if done < len(known):
                continue
            count += 1
            letter = "" if token == 0 else CHARACTERS[token]
            written += letter
            reason = "stop" if token == 0 else "length" if count == given["max_tokens"] else None
            if if_stream:
                if count == 1:
                    self.send(connection, ("start", [200, "text/event-stream"]))
                event = f"data: {json.dumps(answer(letter, reason))}\n\n"
                self.send(connection, ("body", event))
            if reason:
                break
            known.append(token)
        if if_stream:
            self.send(connection, ("body", "data: [DONE]\n\n"), ("end", True))
            return
        usage = {"prompt_tokens": len(given["prompt"]), "completion_tokens": len(written)}
        usage["total_tokens"] = sum(usage.values())
        text = json.dumps(answer(written, reason) | {"usage": usage})
        half = len(text) // 2
        self.send(connection, ("start", [200, "application/json"]), ("body", text[:half]))
        self.send(connection, ("body", text[half:]), ("end", True))

    def schedule(self):
        for connection in list(self.waiting):
            given = self.waiting[connection]
            need = -(-(len(given["prompt"]) + given["max_tokens"]) // self.size)
            if len(self.states) >= self.rows or need > len(self.free):
                break
            del self.waiting[connection]
            table = [self.free.pop() for _ in range(need)]
            life = self.life(connection, given)
            self.states[connection] = [life, next(life), table, given["seed"]]
        order = sorted(self.states, key=lambda c: len(self.states[c][1][0]) != 1)
        left, self.plan = self.tokens, []
        for connection in order:
            _, (pending, start), table, seed = self.states[connection]
            tokens = pending[:left]
            left -= len(tokens)
            if tokens:
                row = dict(
                    connection=connection, tokens=tokens, start=start, table=table, seed=seed
                )
                self.plan.append(row)
        return self.plan

    def finish(self, tokens):
        for row, token in zip(self.plan, tokens):
            state = self.states.get(row["connection"])
            if state is None:
                continue
            try:
                state[1] = state[0].send((len(row["tokens"]), token))
            except StopIteration:
                self.disconnect(row["connection"])

    def output(self):
        sent, self.sent = self.sent, []
        return sent

    def disconnect(self, connection):
        self.waiting.pop(connection, None)
        state = self.states.pop(connection, None)
        if state:
            self.free.update(state[2])


### END SOLUTION
