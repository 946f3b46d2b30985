"""Bolt for Python, ready to take anything; prints its port. Its own server listens on every address, so this one is like
it, on the loopback."""

import logging
import os
import re
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from slack_bolt import App, BoltRequest
from slack_bolt.authorization import AuthorizeResult

logging.disable(logging.CRITICAL)


def authorize(**_):
    return AuthorizeResult(
        enterprise_id=None, team_id="T0PLACET01", bot_token="xoxb-unused", bot_id="B0PLACET01", bot_user_id="U0PLACETBT"
    )


app = App(signing_secret=os.environ["SIGNING_SECRET"], authorize=authorize)
anything = re.compile(".*")


@app.event(anything)
def event():
    pass


for listen in (app.action, app.command, app.view_submission, app.view_closed):
    listen(anything)(lambda ack: ack())


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode("utf-8")
        answer = app.dispatch(BoltRequest(body=body, headers=self.headers))
        self.send_response(answer.status)
        self.end_headers()
        self.wfile.write(str(answer.body or "").encode())


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """What it raises is no answer: the connection is closed."""


server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
