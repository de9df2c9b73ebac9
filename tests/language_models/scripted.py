"""A loopback server that does what a test tells it, answer by answer, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reply:
    """``cut``: the connection breaks before the body's announced end. ``wait``: seconds before anything is said."""

    body: Any = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    cut: bool = False
    wait: float = 0.0

    @property
    def raw(self) -> bytes:
        return (self.body if isinstance(self.body, str) else json.dumps(self.body)).encode()


@dataclass
class Scripted:
    """The last reply is given for ever."""

    url: str
    replies: list[Reply]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    over: threading.Event = field(default_factory=threading.Event)

    def next(self) -> Reply:
        with self.lock:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


@contextmanager
def scripted(*replies: Reply) -> Iterator[Scripted]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with script.lock:
                script.requests.append(asked)
                script.headers.append({name.lower(): value for name, value in self.headers.items()})
                script.open_now += 1
                script.most_open = max(script.most_open, script.open_now)
            reply = script.next()
            script.over.wait(reply.wait)
            with script.lock:
                script.open_now -= 1
            with suppress(OSError):  # whoever asked has gone
                self._give(reply)

        def _give(self, reply: Reply) -> None:
            self.send_response(reply.status)
            headers = {"Content-Type": reply.kind, "Content-Length": str(len(reply.raw) + 100 * reply.cut)}
            for name, value in (headers | reply.headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.raw)
            self.close_connection = reply.cut

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script = Scripted(f"http://127.0.0.1:{server.server_port}", list(replies))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield script
    finally:
        script.over.set()
        server.shutdown()
        server.server_close()


def events(*data: Any, done: bool = True) -> str:
    """Server-sent events as OpenAI sends them."""
    return "".join(f"data: {json.dumps(one)}\n\n" for one in data) + ("data: [DONE]\n\n" if done else "")


def typed_events(*data: dict[str, Any]) -> str:
    """Server-sent events as Anthropic sends them."""
    return "".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in data)
