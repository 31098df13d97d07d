"""A real HTTP server that responds as a test configures it and records the requests."""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

ACCESS_KEY = "svc_accessKeyOfTheDouble0001"
TOKEN = "svct_secretOfTheDoubleThatNobodyIsToSeeAnywhere0000001"


@dataclass
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


class Reset(Exception):
    """Exception that makes the server break the connection instead of responding."""


Act = Callable[[Asked], "Answer | None"]


class LabDouble:
    """HTTP server whose ``acts`` are tried in order; the first that returns a response handles the request."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.acts: list[Act] = []
        self.bearers = 0
        self.ended: set[str] = set()
        double = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def serve(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                asked = Asked(self.command, self.path, headers, body)
                double.asked.append(asked)
                try:
                    answer = double.answer(asked)
                except Reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    self.close_connection = True
                    self.connection.close()
                    return
                text = b"" if answer.body is None else answer.body
                text = text if isinstance(text, bytes) else json.dumps(text).encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", "application/json; charset=utf-8")
                self.send_header("Content-Length", str(len(text)))
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = serve

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Ignores a client that disconnected."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def use_tls(self, certificate: Path, key: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = self.url.replace("http:", "https:")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def on(self, method: str, target: str, act: Answer | Callable[[Asked], Answer]) -> None:
        """Adds an act for a request. The act that was added last is tried first."""

        def answer(asked: Asked) -> Answer | None:
            if (asked.method, asked.target) != (method, target):
                return None
            return act if isinstance(act, Answer) else act(asked)

        self.acts.insert(0, answer)

    def asked_for(self, target: str) -> list[Asked]:
        return [asked for asked in self.asked if asked.target == target]

    def answer(self, asked: Asked) -> Answer:
        for act in self.acts:
            answer = act(asked)
            if answer is not None:
                return answer
        return self._usual(asked)

    def _usual(self, asked: Asked) -> Answer:
        """Behaves like a lab with one virtual phone: issues bearer tokens and accepts commands until they expire."""
        bearer = asked.headers.get("authorization", "").removeprefix("Bearer ")
        if asked.target == "/svc/api/auth/token":
            self.bearers += 1
            return Answer(
                200, {"token": f"bearer-{self.bearers}", "expiresIn": 3600, "audience": "svc-rest", "scopes": []}
            )
        if asked.target == "/svc/api/auth/me":
            return Answer(401, {"error": "invalid token"}) if bearer in self.ended else Answer(200, {"id": "1"})
        if asked.target == "/svc/api/capabilities":
            return Answer(200, {"version": "1", "webDriver": {"basePath": "/wd", "example": {"platformName": "Fake"}}})
        if asked.target == "/wd/session" and asked.method == "POST":
            return Answer(200, {"value": {"sessionId": "s1", "capabilities": {"platformName": "Fake"}}})
        if asked.target.startswith("/wd/session/s1"):
            if not bearer or bearer in self.ended:
                return unknown_session()
            return Answer(200, {"value": "<page/>" if asked.target.endswith("/source") else None})
        return Answer(404, {"error": "not_found"}, {"X-Request-Id": "r-1"})


def unknown_session() -> Answer:
    message = "A session is either terminated or not started"
    return Answer(404, {"value": {"error": "invalid session id", "message": message, "stacktrace": ""}})
