"""What stands before the server in one of the deployments: a gateway with a single thread.

It takes one request at a time, reads and writes the JSON anew, opens a connection to the server for
each, and closes the client's behind the answer.

    python gateway.py PORT_OF_THE_SERVER

Its own port is the first line that it prints.
"""

from __future__ import annotations

import http.client
import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

HOST = "127.0.0.1"


class Gateway(BaseHTTPRequestHandler):
    """HTTP/1.0: a connection is for one request."""

    server_port = 0

    def do_GET(self) -> None:
        """Metadata, configurations and statistics."""
        self._pass_on(b"")

    def do_POST(self) -> None:
        """An inference."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._pass_on(json.dumps(json.loads(body)).encode())

    def _pass_on(self, body: bytes) -> None:
        connection = http.client.HTTPConnection(HOST, self.server_port, timeout=30)
        connection.request(self.command, self.path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        said = answer.read()
        connection.close()
        if said:
            said = json.dumps(json.loads(said)).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_arguments: object) -> None:
        """Says nothing about each request."""


class PatientServer(HTTPServer):
    """Lets as many wait as there are clients."""

    request_queue_size = 128


def main(server_port: int) -> None:
    """Serve until it is ended."""
    Gateway.server_port = server_port
    with PatientServer((HOST, 0), Gateway) as gateway:
        print(gateway.server_address[1], flush=True)
        gateway.serve_forever()


if __name__ == "__main__":
    main(int(sys.argv[1]))
