"""Drive a learner's server from outside: requests, disconnections, and a model run by the judge.

The server says which rows the model must compute. Before a row gets its token, the row is compared
with the request and the memory with the row's block table. So a wrong table, a repeated chunk or a
row of a client that left is found in the step in which it happens.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.judge_fault import ours
from hotloop.judge.questions import ask_plainly, same, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.llm_serving_engine import decoder
from hotloop.tasks.modules.llm_serving_engine.paging import Memory

TIMEOUT_S = 10.0
COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"
ROLES = ("system", "user", "assistant")
CONTENT = {True: "text/event-stream", False: "application/json"}


@dataclass(frozen=True)
class Limits:
    """Limits of the server."""

    blocks: int
    size: int
    most_rows: int
    most_tokens: int


@dataclass(eq=False)
class Client:
    """A connection.

    comes, leaves: ticks; leaves is None for a client that stays. status: the HTTP status that it
    should get. prompt, most, seed, stream: of a completion.
    """

    comes: int
    body: str
    path: str = COMPLETIONS
    status: int = 200
    prompt: list[int] = field(default_factory=list[int])
    most: int = 1
    seed: int = 0
    stream: bool = False
    leaves: int | None = None
    completion: list[int] = field(default_factory=list[int])
    computed: int = 0
    produced: int = 0
    pieces: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    rows: list[int] = field(default_factory=list[int])

    @property
    def tokens(self) -> list[int]:
        """All known tokens: the prompt and those produced so far."""
        return [*self.prompt, *self.completion[: self.produced]]

    @property
    def chat(self) -> bool:
        """Whether it asks for a message rather than a text."""
        return self.path == CHAT

    @property
    def ended(self) -> bool:
        """Whether it got the end of its response."""
        return bool(self.pieces) and "end" in self.pieces[-1]

    @property
    def done(self) -> bool:
        """Whether the model has produced its last token; True for a request to be refused."""
        return self.status != 200 or self.produced == len(self.completion)

    @property
    def text(self) -> str:
        """The text that it should have so far."""
        return decoder.text([t for t in self.completion[: self.produced] if t != decoder.END])

    @property
    def reason(self) -> str:
        """Why its completion ends: "stop" or "length"."""
        return "stop" if self.completion[-1] == decoder.END else "length"


def client_of(
    rng: Rng,
    comes: int,
    length: int,
    most: int,
    *,
    stream: bool,
    ends_at_once: bool = False,
    messages: int = 0,
) -> Client:
    """Return a client with a prompt of `length` characters.

    ends_at_once: use a seed for which the first token is END, if one of 3000 seeds does that.
    messages: of a chat, of `length` characters each; 0 for a completion.
    """
    if messages:
        said = [(str(rng.choice(ROLES)), _letters(rng, length)) for _ in range(messages)]
        whole = "".join(f"{role}: {decoder.text(content)}\n" for role, content in said)
        prompt = [decoder.CHARACTERS.index(letter) for letter in f"{whole}assistant: "]
    else:
        said, prompt = [], _letters(rng, length)
    seed = int(rng.integers(1 << 31))
    if ends_at_once:
        last = decoder.logits(prompt)[-1]
        seeds = map(int, rng.integers(1 << 31, size=3000))
        seed = next((s for s in seeds if decoder.sampled(last, s, length) == decoder.END), seed)
    body = {"seed": seed, "stream": stream, "model": "decoder"}  # as OpenAI's clients always do
    if messages:
        chat = [{"role": role, "content": decoder.text(content)} for role, content in said]
        limit = str(rng.choice(["max_tokens", "max_completion_tokens"]))
        body |= {"messages": chat, limit: most}
    else:
        body |= {"prompt": decoder.text(prompt), "max_tokens": most}
    return Client(
        comes,
        json.dumps(body),
        path=CHAT if messages else COMPLETIONS,
        prompt=prompt,
        most=most,
        seed=seed,
        stream=stream,
        completion=decoder.completion(prompt, most, seed),
    )


def _letters(rng: Rng, length: int) -> list[int]:
    return [int(letter) for letter in rng.integers(1, len(decoder.CHARACTERS), length)]


@dataclass
class Drive:
    """One run of a server. Raises Ruling at the first thing that is wrong.

    batch_mismatch: checks every batch, given the alive clients; returns a message or None. at_once:
    every token of a stream must be sent in the step that produced it.
    """

    label: str
    limits: Limits
    clients: Sequence[Client]
    batch_mismatch: Callable[[Limits, Sequence[Client], dict[int, int]], str | None] = (
        lambda _limits, _alive, _counts: None
    )
    at_once: bool = False
    ticks: int = 0

    def run(self, session: Session, most_ticks: int) -> None:
        """Run until every client that stays has its answer."""
        session.progress(self.label)
        worker, memory = session.worker(), Memory(self.limits.size)
        noise = session.rng()
        tokens: list[int] | None = None
        while not all(c.ended or c.leaves is not None for c in self.clients) or self._coming():
            if self.ticks == most_ticks:
                late = [n for n, c in enumerate(self.clients) if not c.ended and c.leaves is None]
                self._wrong(f"connection {late[0]} has no answer after {most_ticks} steps")
            message: dict[str, Any] = {"tokens": tokens, "events": self._events()}
            if not self.ticks:
                message["limits"] = vars(self.limits)
            answer = ask_plainly(worker, (json.dumps(message),), session.timeout(TIMEOUT_S))
            reported = as_message(answer)
            if reported is None or set(reported) != {"output", "batch"}:
                self._wrong(f"a tick gives {shown(answer)}, not its output and a batch")
            for piece in as_list(reported["output"]):
                self._receive(as_message(piece) or {})
            if self.at_once:
                self._require_streamed()
            tokens = self._compute(as_list(reported["batch"]), memory, noise)
            self.ticks += 1

    def _coming(self) -> bool:
        """Whether a client has yet to come or to leave."""
        return any(max(c.comes, c.leaves or 0) >= self.ticks for c in self.clients)

    def _events(self) -> list[list[Any]]:
        events = list[list[Any]]()
        for number, client in enumerate(self.clients):
            if client.leaves == self.ticks and not client.ended:
                events.append(["disconnect", number])
            if client.comes == self.ticks:
                events.append(["receive", number, "POST", client.path, client.body])
        return events

    def _alive(self) -> list[Client]:
        """Clients that are connected and whose completion is not finished."""
        return [c for c in self.clients if c.comes <= self.ticks and not c.done and self._stays(c)]

    def _stays(self, client: Client) -> bool:
        return client.leaves is None or client.leaves > self.ticks

    def _receive(self, piece: dict[str, Any]) -> None:
        number = piece.get("connection")
        kinds = set(piece) - {"connection"}
        if type(number) is not int or not 0 <= number < len(self.clients) or len(kinds) != 1:
            self._wrong(f"a piece of the output is {shown(piece)}")
        client = self.clients[number]
        before = {kind for p in client.pieces for kind in p}
        (kind,) = kinds
        if client.leaves == self.ticks:
            return  # the last step's output crossed with the disconnection
        if client.comes > self.ticks or not self._stays(client):
            self._wrong(f"something is sent on connection {number}, and nobody is there")
        in_turn = (kind == "start") != bool(before) and "end" not in before
        if kind not in ("start", "body", "end") or not in_turn:
            self._wrong(f"{kind!r} is sent on connection {number} after {sorted(before)}")
        client.pieces.append({kind: piece[kind]})

    def _require_streamed(self) -> None:
        """Require clients of streams to have all tokens that the model has produced."""
        for number, client in enumerate(self.clients):
            if not client.stream or not self._stays(client) or not client.produced:
                continue
            received = streamed(client)
            if isinstance(received, str):
                self._wrong(f"connection {number}: {received}")
            if received[0] != client.text:
                self._wrong(
                    f"connection {number} has got {shown(received[0])} when the model has given "
                    f"{shown(client.text)}: send every token in the step that gave it"
                )

    def _compute(self, batch: list[Any], memory: Memory, rng: Rng) -> list[int] | None:
        """Return the model's token for each row; None for an empty batch, which runs nothing."""
        alive, counts = self._alive(), dict[int, int]()
        for row in map(as_message, batch):
            number, count = self._row(row or {}, alive, memory)
            if number in counts:
                self._wrong(f"connection {number} has two rows in a batch")
            counts[number] = count
        if sum(counts.values()) > self.limits.most_tokens:
            self._wrong(f"a batch has {sum(counts.values())} tokens")
        started = sum(bool(c.computed) for c in alive)
        if started + sum(not self.clients[n].computed for n in counts) > self.limits.most_rows:
            self._wrong(f"more than {self.limits.most_rows} requests run")
        by_client = {id(self.clients[n]): c for n, c in counts.items()}
        mismatch = self.batch_mismatch(self.limits, alive, by_client)
        if mismatch is not None:
            self._wrong(mismatch)
        return [self._token(self.clients[n], count, rng) for n, count in counts.items()] or None

    def _row(self, row: dict[str, Any], alive: list[Client], memory: Memory) -> tuple[int, int]:
        number, size = row.get("connection"), self.limits.size
        if not row.keys() >= {"connection", "tokens", "start", "table", "seed"}:
            self._wrong(f"a row has the keys {shown(sorted(row))}")
        if type(number) is not int or not 0 <= number < len(self.clients):
            self._wrong(f"a row is of connection {shown(number)}")
        client = self.clients[number]
        if client not in alive:
            self._wrong(f"connection {number} has a row, and nobody waits there for a token")
        tokens, table = as_list(row["tokens"]), as_list(row["table"])
        end = client.computed + len(tokens)
        reported = (row["start"], tokens, row["seed"])
        want = (client.computed, client.tokens[client.computed : end], client.seed)
        if not tokens or reported != want:
            self._wrong(
                f"connection {number} has a row of {shown(reported[1])} from {reported[0]} with "
                f"seed {shown(reported[2])}; it has {len(client.tokens)} tokens, {client.computed} "
                f"of them computed: {shown(client.tokens[client.computed :])}, seed {client.seed}"
            )
        blocks = range(self.limits.blocks)
        if any(type(b) is not int or b not in blocks for b in table) or len(table) * size < end:
            self._wrong(f"connection {number} has the table {shown(table)} for {end} tokens")
        memory.write(table, client.tokens[:end], client.computed)
        place = memory.wrong(table, client.tokens[:end])
        if place is not None:
            block = table[place // size]
            self._wrong(f"token {place} of connection {number} is not in block {block} any more")
        client.rows.append(self.ticks)
        return number, len(tokens)

    def _token(self, client: Client, count: int, rng: Rng) -> int:
        """Return the row's token; a random one, to be ignored, before the prompt's end."""
        client.computed += count
        if client.computed < len(client.tokens):
            return int(rng.integers(1, len(decoder.CHARACTERS)))
        client.produced += 1
        return client.completion[client.produced - 1]

    def _wrong(self, what: str) -> NoReturn:
        raise Ruling(Verdict.WRONG_ANSWER, f"{self.label}, step {self.ticks}: {what}.")


def streamed(client: Client) -> tuple[str, list[str], bool] | str:
    """Return text, finish reasons, and whether [DONE] came; or what is wrong with the events."""
    text, reasons, over = "", list[str](), False
    if client.pieces and not _starts(client, 200, CONTENT[True]):
        return f"it starts with {shown(client.pieces[0])}"
    events = "".join(str(piece.get("body", "")) for piece in client.pieces)
    separate = events.split("\n\n")[:-1] if events else []
    for number, event in enumerate(separate):
        data = event.removeprefix("data: ")
        choice = _choice(client, data)
        if over or data == event or (data != "[DONE]" and choice is None):
            return f"an event is {shown(event)}"
        over = data == "[DONE]"
        if choice is None:
            continue
        piece = _text(client, choice, first=not number)
        if piece is None:
            return f"an event is {shown(event)}"
        text += piece
        if choice.get("finish_reason") is not None:
            reasons.append(str(choice["finish_reason"]))
        elif reasons:
            return "something comes after the finish_reason"
    return text, reasons, over


def _starts(client: Client, status: int, content: str) -> bool:
    """Whether it begins with this status and content type, which may have parameters."""
    start = as_list(client.pieces[0].get("start"))
    return start[:1] == [status] and str(start[-1]).partition(";")[0].strip() == content


def _choice(client: Client, data: str) -> dict[str, Any] | None:
    try:
        answer = as_message(json.loads(data)) or {}
    except (ValueError, RecursionError):
        return None
    choices = as_list(answer.get("choices"))
    kind = "chat.completion.chunk" if client.stream else "chat.completion"
    known = answer.get("object") == (kind if client.chat else "text_completion") and "id" in answer
    return as_message(choices[0]) if known and len(choices) == 1 else None


def _text(client: Client, choice: dict[str, Any], *, first: bool) -> str | None:
    """Return the text of an answer or event, or None if that is no part of an answer.

    first: a chat's message, and its first event, must say whose it is.
    """
    if not client.chat:
        return str(choice.get("text"))
    said = as_message(choice.get("delta" if client.stream else "message"))
    if said is None or said.get("role", None if first else "assistant") != "assistant":
        return None
    content = said.get("content") or ""
    return content if isinstance(content, str) else None


def answer_mismatch(client: Client) -> str | None:
    """Return what is wrong with a client's complete answer, or None."""
    if client.status != 200:
        return _refusal_mismatch(client)
    if client.stream:
        got, want = streamed(client), (client.text, [client.reason], True)
        return None if got == want else f"the stream is {shown(got)}, expected {shown(want)}"
    if not _starts(client, 200, CONTENT[False]):
        return f"it starts with {shown(client.pieces[0])}"
    body = "".join(str(piece.get("body", "")) for piece in client.pieces)
    choice = _choice(client, body)
    text = None if choice is None else _text(client, choice, first=True)
    if choice is None or text is None:
        return f"its body is {shown(body)}"
    reported = (text, choice.get("finish_reason"))
    if reported != (client.text, client.reason):
        return f"it is {shown(reported)}, expected {shown((client.text, client.reason))}"
    got = as_message(json.loads(body).get("usage")) or {}
    usages = [_usage(client, count) for count in {len(client.text), len(client.completion)}]
    if any(all(same(got.get(key), usage[key]) for key in usage) for usage in usages):
        return None
    return f"its usage is {shown(got)}, expected {shown(_usage(client, len(client.text)))}"


def _usage(client: Client, count: int) -> dict[str, int]:
    """Return the usage of `count` completion tokens, among which END may count."""
    prompt = len(client.prompt)
    return {"prompt_tokens": prompt, "completion_tokens": count, "total_tokens": prompt + count}


def _refusal_mismatch(client: Client) -> str | None:
    if not _starts(client, client.status, CONTENT[False]):
        return f"{shown(client.body)} is answered with {shown(client.pieces[0])}"
    body = "".join(str(piece.get("body", "")) for piece in client.pieces)
    try:
        error = as_message((as_message(json.loads(body)) or {}).get("error")) or {}
    except (ValueError, RecursionError):
        error = {}
    return None if error.get("message") else f"{shown(client.body)} is refused with {shown(body)}"


# --- the checks -----------------------------------------------------------------------------------


def tokens(session: Session) -> str:
    """Require every answer to be the one that the request would get alone, or the right refusal."""
    with ours("the completions"):
        rng = session.rng()
        drives = (_mixed(rng), _crowded(rng), _refused(rng))
    return _judged(session, drives, "Right answers on {count} connections.")


def streams(session: Session) -> str:
    """Require every token to be sent in the step that produced it."""
    with ours("the completions"):
        rng = session.rng()
        clients = [client_of(rng, n // 3, 5 + 7 * n, 18, stream=True) for n in range(6)]
        drive = Drive("Streams", Limits(200, 4, 6, 24), clients, at_once=True)
    return _judged(session, (drive,), "All {count} streams got each token in its step.")


def batches(session: Session) -> str:
    """Require that no step wastes rows or tokens, and that decoding requests never wait."""
    with ours("the completions"):
        rng = session.rng()
        lengths = [9, 60, 14, 150, 5, 33, 8, 71, 12]
        clients = [
            client_of(rng, 3 * n // 2, length, 16, stream=n % 2 == 0)
            for n, length in enumerate(lengths)
        ]
        drive = Drive("Overlapping requests", Limits(300, 8, 5, 24), clients, batch_mismatch=_waste)
    return _judged(session, (drive,), "No step was wasted for {count} requests.")


def chat(session: Session) -> str:
    """Require chats beside completions, and errors for what is no chat."""
    with ours("the chats"):
        rng = session.rng()
        clients = [
            client_of(rng, n, 4 + n, 14, stream=n % 2 == 0, messages=n % 4) for n in range(8)
        ]
        message = {"role": "user", "content": "a"}
        bodies: list[dict[str, Any]] = [
            {"prompt": "a"},
            {"messages": []},
            {"messages": "a"},
            {"messages": [message, {"role": "robot", "content": "a"}]},
            {"messages": [message, {"role": "user", "content": 7}]},
            {"messages": [{"content": "a"}]},
            {"messages": [message], "max_completion_tokens": 0},
        ]
        refused = [
            Client(n, json.dumps(body), path=CHAT, status=400) for n, body in enumerate(bodies)
        ]
        drive = Drive("Chats and completions", Limits(200, 8, 12, 64), [*clients, *refused])
    return _judged(session, (drive,), "Right on {count} connections, chats and completions.")


def cancels(session: Session) -> str:
    """Require a client that leaves to give back all blocks at once.

    Clients leave during the prompt, later, or while they wait.
    """
    with ours("the completions"):
        rng = session.rng()
        limits = Limits(12, 4, 8, 8)
        clients, tick = list[Client](), 0
        for _ in range(25):
            one = client_of(rng, tick, int(rng.integers(20, 33)), 16, stream=bool(rng.integers(2)))
            one.leaves = tick + int(rng.integers(1, 9))
            other = client_of(rng, tick + 1, 30, 16, stream=False)
            other.leaves = other.comes + int(rng.integers(1, 8))
            clients += [one, other]
            tick = max(one.leaves, other.leaves) + 1
        last = client_of(rng, tick, limits.blocks * limits.size - 16, 16, stream=True)
        drive = Drive("Clients who leave", limits, [*clients, last])
    sentence = _judged(session, (drive,), "The memory of {count} connections was given back.")
    waited = last.rows[0] - last.comes
    if waited > 1:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"Clients who leave: the next request waits {waited} steps, although all are gone.",
        )
    return sentence


def _judged(session: Session, drives: Sequence[Drive], sentence: str) -> str:
    count = steps = 0
    for drive in drives:
        drive.run(session, most_ticks=600)
        for number, client in enumerate(drive.clients):
            if client.leaves is None and (mismatch := answer_mismatch(client)):
                label = f"{drive.label}, connection {number}"
                raise Ruling(Verdict.WRONG_ANSWER, f"{label}: {mismatch}.")
        count, steps = count + len(drive.clients), steps + drive.ticks
    session.note(connections=count, steps=steps)
    return sentence.format(count=count)


def _mixed(rng: Rng) -> Drive:
    """Streams and whole answers; two end at the first token, if a seed allows it, others at END."""
    clients = [
        client_of(rng, n, int(rng.integers(1, 60)), int(rng.integers(1, 20)), stream=n % 2 == 1)
        for n in range(8)
    ]
    for stream in (False, True):
        clients.append(client_of(rng, 3, 12, 20, stream=stream, ends_at_once=True))
        clients.append(client_of(rng, 4, 17, 40, stream=stream))
    return Drive("Requests of all kinds", Limits(160, 8, 12, 64), clients)


def _crowded(rng: Rng) -> Drive:
    """More requests than memory holds, so that some must wait."""
    clients = [
        client_of(rng, n // 4, int(rng.integers(10, 40)), int(rng.integers(4, 20)), stream=False)
        for n in range(10)
    ]
    return Drive("More requests than memory holds", Limits(18, 4, 10, 48), clients)


def _refused(rng: Rng) -> Drive:
    """Requests that must be refused, among valid ones."""
    bodies = [
        "no JSON",
        "[]",
        "{}",
        json.dumps({"prompt": ""}),
        json.dumps({"prompt": 7}),
        json.dumps({"prompt": "é"}),
        json.dumps({"prompt": "a", "max_tokens": 0}),
        json.dumps({"prompt": "a", "max_tokens": "9"}),
        json.dumps({"prompt": "a", "max_tokens": True}),
        json.dumps({"prompt": "a" * 60, "max_tokens": 30}),
    ]
    refused = [Client(n // 3, body, status=400) for n, body in enumerate(bodies)]
    lost = [Client(1, bodies[0], path="/v1/nothing", status=404)]
    right = [client_of(rng, n, 30, 8, stream=False) for n in range(3)]
    # This one fits exactly, and nothing larger would.
    right.append(client_of(rng, 4, 62, 18, stream=False))
    return Drive("Requests that cannot be served", Limits(20, 4, 4, 16), [*refused, *lost, *right])


def _waste(limits: Limits, alive: Sequence[Client], counts: dict[int, int]) -> str | None:
    """Return what a batch omits although it had room, or None. Memory is no limit here."""
    for client in alive:
        waits = client.produced and client.computed == len(client.tokens) - 1
        if waits and id(client) not in counts:
            return "a request that waits for one token has no row"
    if sum(counts.values()) == limits.most_tokens:
        return None
    running = [client for client in alive if client.computed or id(client) in counts]
    if len(running) < min(len(alive), limits.most_rows):
        return f"{len(running)} of {len(alive)} requests run, and there was room for more"
    for client in running:
        if counts.get(id(client), 0) < len(client.tokens) - client.computed:
            return f"a batch of {sum(counts.values())} tokens leaves a prompt's chunk out"
    return None
