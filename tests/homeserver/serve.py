"""Starts a Synapse on a free port of the loopback, runs a command beside it, and ends it.

What always holds: the homeserver keeps nothing (its folder is a temporary one), asks no other server anything, limits
no rates, and ends with the command, also where this program is killed. The command gets

- PLACET_HOMESERVER: its URL
- PLACET_HOMESERVER_NAME: the server's name, as in @user:name
- PLACET_HOMESERVER_SECRET: the secret for registering users
- PLACET_HOMESERVER_ADMIN: an access token of an administrator
- PLACET_HOMESERVER_CLIENTS: the folder where the clients of people are installed
- PLACET_HOMESERVER_NODE: the node that runs those in JavaScript
"""

import base64
import ctypes
import hashlib
import hmac
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from glob import glob
from pathlib import Path

SERVER_NAME = "example.org"
# A start takes three seconds, on a busy machine twelve; one that takes longer than this does not come.
START_SECONDS_MAX = 120
POLL_SECONDS = 0.05
# Somebody else may bind a free port before the homeserver does.
START_TRIES = 3

# Every limit of rates that Synapse has: tests are fast, and the limits have fakes of their own.
UNLIMITED = {"per_second": 10000, "burst_count": 10000}
RATES = {
    "rc_message": UNLIMITED,
    "rc_registration": UNLIMITED,
    "rc_registration_token_validity": UNLIMITED,
    "rc_login": {"address": UNLIMITED, "account": UNLIMITED, "failed_attempts": UNLIMITED},
    "rc_admin_redaction": UNLIMITED,
    "rc_joins": {"local": UNLIMITED, "remote": UNLIMITED},
    "rc_joins_per_room": UNLIMITED,
    "rc_key_requests": UNLIMITED,
    "rc_3pid_validation": UNLIMITED,
    "rc_invites": {"per_room": UNLIMITED, "per_user": UNLIMITED, "per_issuer": UNLIMITED},
    "rc_third_party_invite": UNLIMITED,
    "rc_media_create": UNLIMITED,
    "rc_presence": {"per_user": UNLIMITED},
    "rc_delayed_event_mgmt": UNLIMITED,
    "rc_room_creation": UNLIMITED,
    "rc_reports": UNLIMITED,
    "rc_user_directory": UNLIMITED,
    "rc_profile": UNLIMITED,
}


class Failed(Exception):
    """The homeserver does not serve."""


def settings(folder, port, secret):
    return {
        "server_name": SERVER_NAME,
        "public_baseurl": f"http://127.0.0.1:{port}/",
        "pid_file": str(folder / "pid"),
        "listeners": [
            {
                "port": port,
                "bind_addresses": ["127.0.0.1"],
                "type": "http",
                "tls": False,
                "resources": [{"names": ["client"], "compress": False}],
            }
        ],
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "media_store_path": str(folder / "media"),
        "signing_key_path": str(folder / "signing.key"),
        "log_config": str(folder / "log.yaml"),
        "registration_shared_secret": secret,
        "macaroon_secret_key": secrets.token_urlsafe(),
        "form_secret": secrets.token_urlsafe(),
        # Each takes half a second otherwise, for each password.
        "bcrypt_rounds": 4,
        "report_stats": False,
        # Nothing is asked of other servers, and nothing is told to them.
        "trusted_key_servers": [],
        "federation_domain_whitelist": [],
        "send_federation": False,
        "url_preview_enabled": False,
        # People who are online tell it to all rooms, which is noise here.
        "presence": {"enabled": False},
        "enable_search": False,
        **RATES,
    }


def lay_out(folder, port, secret, more):
    """Writes its files. JSON is YAML, so that no library for either is needed; what was asked for comes last."""
    key = base64.b64encode(secrets.token_bytes(32)).decode().rstrip("=")
    (folder / "signing.key").write_text(f"ed25519 a_test {key}\n")
    (folder / "log.yaml").write_text(
        json.dumps(
            {
                "version": 1,
                "formatters": {"line": {"format": "%(asctime)s %(name)s %(levelname)s %(request)s %(message)s"}},
                "filters": {"context": {"()": "synapse.logging.context.LoggingContextFilter"}},
                "handlers": {"out": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["context"]}},
                "root": {"level": os.environ.get("PLACET_HOMESERVER_LOG", "WARNING"), "handlers": ["out"]},
                "disable_existing_loggers": False,
            }
        )
    )
    (folder / "homeserver.yaml").write_text(json.dumps(settings(folder, port, secret)))
    (folder / "more.yaml").write_text("\n".join(more) or "{}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def dies_with_its_parent():
    """Asks the kernel for it (prctl 1, PR_SET_PDEATHSIG), and takes Ctrl-C from nobody but its parent."""
    os.setsid()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def ask(url, body=None, method=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"content-type": "application/json"}, method=method)
    # Never by a proxy: it is on this machine.
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=10) as answer:
        body = answer.read()
        return json.loads(body) if body.startswith(b"{") else body


def start(folder, more, secret):
    port = free_port()
    lay_out(folder, port, secret, more)
    log = open(folder / "log", "ab")
    command = [sys.executable, "-m", "synapse.app.homeserver"]
    for name in ["homeserver.yaml", "more.yaml"]:
        command += ["-c", str(folder / name)]
    synapse = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=dies_with_its_parent
    )
    url = f"http://127.0.0.1:{port}"
    until = time.monotonic() + START_SECONDS_MAX
    while time.monotonic() < until:
        if synapse.poll() is not None:
            raise Failed(f"the homeserver ended with {synapse.returncode}")
        try:
            ask(f"{url}/health")
            return synapse, url
        except OSError:
            time.sleep(POLL_SECONDS)
    synapse.kill()
    raise Failed(f"the homeserver did not serve within {START_SECONDS_MAX} s")


def administrator(url, secret):
    """Registers one by the secret, and gives a token.

    https://element-hq.github.io/synapse/latest/admin_api/register_api.html
    """
    register = f"{url}/_synapse/admin/v1/register"
    nonce, name, password = ask(register)["nonce"], "administrator", secrets.token_urlsafe()
    mac = hmac.new(secret.encode(), "\0".join([nonce, name, password, "admin"]).encode(), hashlib.sha1)
    body = {"nonce": nonce, "username": name, "password": password, "admin": True, "mac": mac.hexdigest()}
    return ask(register, body)["access_token"]


def run(command, environment):
    """Runs it to its end; what ends this program is handed on, so that the command ends first."""
    child = subprocess.Popen(command, env={**os.environ, **environment})
    for number in [signal.SIGTERM, signal.SIGHUP]:
        signal.signal(number, lambda number, _frame: child.send_signal(number))
    # A terminal sends it to both of them.
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    status = child.wait()
    return status if status >= 0 else 128 - status


def main(arguments):
    clients, arguments = Path(arguments[0]), arguments[1:]
    more = []
    while arguments[:1] == ["--set"] and len(arguments) > 1:
        more, arguments = [*more, arguments[1]], arguments[2:]
    if not arguments:
        sys.exit("tests/homeserver/run: no command; say what is to run beside the homeserver")
    # The one of the lock file, which npm installs where there is one for the machine.
    nodes = glob(str(clients / "node_modules/node-linux-*/bin/node")) + [shutil.which("node") or "node"]
    secret = secrets.token_urlsafe()
    # Ends by the exception, so that the folder goes and the homeserver with it.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="placet-homeserver-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        synapse = None
        try:
            for left in reversed(range(START_TRIES)):
                try:
                    synapse, url = start(folder, more, secret)
                    break
                except Failed:
                    if not left or b"Address already in use" not in (folder / "log").read_bytes():
                        raise
            environment = {
                "PLACET_HOMESERVER": url,
                "PLACET_HOMESERVER_NAME": SERVER_NAME,
                "PLACET_HOMESERVER_SECRET": secret,
                "PLACET_HOMESERVER_ADMIN": administrator(url, secret),
                "PLACET_HOMESERVER_CLIENTS": str(clients),
                "PLACET_HOMESERVER_NODE": nodes[0],
            }
            return run(arguments, environment)
        except (Failed, urllib.error.URLError) as failed:
            log = (folder / "log").read_text(errors="replace") if (folder / "log").exists() else ""
            sys.exit(f"tests/homeserver/run: {failed}. The end of its log:\n{log[-4000:]}")
        finally:
            # What it would still write is thrown away with its folder.
            if synapse is not None:
                synapse.kill()
                synapse.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
