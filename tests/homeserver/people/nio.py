"""A person at matrix-nio, a client in Python that knows encryption, and no cross-signing: its device is never signed.

Reads commands as lines of JSON, `{"id": 1, "do": "send", …}`, and answers each with one, `{"id": 1, "ok": …}` or
`{"id": 1, "error": "…"}`; js.mjs speaks the same. `src/people.rs` is the other end and says what the commands mean.
Its argument is a folder for its keys. Ends with its input.
"""

import asyncio
import json
import sys
import time

from nio import AsyncClient, AsyncClientConfig, ErrorResponse, MegolmEvent
from nio.responses import ShareGroupSessionResponse

FILTER = {"presence": {"types": []}, "room": {"timeline": {"limit": 100}}}
# One wait of many; the whole one is the command's.
SYNC_MILLISECONDS_MAX = 3000
# The longest event is 64 KiB, and a list of events has some hundreds of them.
LINE_BYTES_MAX = 64 * 1024 * 1024


class Failed(Exception):
    """A command that could not be carried out."""


def checked(response, what):
    if isinstance(response, ErrorResponse):
        raise Failed(f"{what}: {response.status_code} {response.message}")
    return response


class Client(AsyncClient):
    """The client; the keys of its messages can be kept back for a while, as by a slow network."""

    held = None

    async def _send(self, response_class, method, path, data=None, response_data=None, *more, **named):
        if self.held is not None and response_class is ShareGroupSessionResponse:
            self.held.append((response_class, method, path, data, response_data))
            return ShareGroupSessionResponse(*response_data)
        return await super()._send(response_class, method, path, data, response_data, *more, **named)


class Person:
    def __init__(self):
        self.client = None
        # By room: the events in the order in which they came, as they are read now.
        self.rooms = {}
        self.invites = {}

    # What arrives

    async def sync(self, milliseconds=0):
        client = self.client
        response = checked(await client.sync(timeout=milliseconds, sync_filter=FILTER), "sync")
        for room, invited in response.rooms.invite.items():
            for event in invited.invite_state:
                if getattr(event, "state_key", None) == client.user_id and getattr(event, "membership", "") == "invite":
                    self.invites[room] = event.sender
        for room, joined in response.rooms.join.items():
            self.invites.pop(room, None)
            events = self.rooms.setdefault(room, {})
            # An initial sync gives state apart from the timeline; state alone is no message.
            for event in joined.timeline.events:
                self.take(events, event)
        # Keys may have come for what could not be read before.
        for events in self.rooms.values():
            for kept in events.values():
                if isinstance(kept["event"], MegolmEvent):
                    read = client.decrypt_event_quietly(kept["event"])
                    if read is not None:
                        kept["event"] = read
        if client.should_upload_keys:
            checked(await client.keys_upload(), "keys upload")
        if client.should_query_keys:
            checked(await client.keys_query(), "keys query")
        if client.should_claim_keys:
            await client.keys_claim(client.get_users_for_key_claiming())
        await client.send_to_device_messages()

    def take(self, events, event):
        source = event.source
        encrypted = isinstance(event, MegolmEvent) or event.decrypted
        redacted = "redacted_because" in source.get("unsigned", {})
        events[source["event_id"]] = {"event": event, "encrypted": encrypted, "redacted": redacted}
        if source["type"] == "m.room.redaction":
            # Room versions from 11 on have it in the content.
            redacts = source.get("redacts") or source["content"].get("redacts")
            if redacts in events:
                events[redacts]["redacted"] = True

    # What is seen

    def relation(self, kept):
        return kept["event"].source.get("content", {}).get("m.relates_to") or {}

    def sight(self, room, event_id):
        events = self.rooms[room]
        kept = events[event_id]
        event, source = kept["event"], kept["event"].source
        content, edited = source.get("content", {}), False
        reactions = []
        for other_id, other in events.items():
            if other["redacted"]:
                continue
            relation, sender = self.relation(other), other["event"].sender
            if relation.get("event_id") != event_id:
                continue
            if relation.get("rel_type") == "m.replace" and sender == event.sender:
                content, edited = other["event"].source["content"].get("m.new_content", {}), True
            if relation.get("rel_type") == "m.annotation":
                reactions.append({"key": relation.get("key"), "sender": sender, "event_id": other_id})
        device = None
        if event.decrypted:
            for known in self.client.device_store.active_user_devices(event.sender):
                if known.curve25519 == event.sender_key:
                    device = {"device_id": known.id, "trust": known.trust_state.name}
        readable = not isinstance(event, MegolmEvent)
        return {
            "event_id": event_id,
            "sender": event.sender,
            "type": source["type"],
            "at": source["origin_server_ts"],
            "content": {} if kept["redacted"] or not readable else content,
            "relation": self.relation(kept),
            "edited": edited,
            "encrypted": kept["encrypted"],
            "readable": readable,
            "why": None if readable else "no key",
            "redacted": kept["redacted"],
            "reactions": reactions,
            "device": device,
        }

    # What is done

    async def do_sign_in(self, homeserver, user, password, device_name):
        config = AsyncClientConfig(store_sync_tokens=False, encryption_enabled=True, max_timeouts=1)
        client = Client(homeserver, user, store_path=sys.argv[1], config=config)

        def decrypt_event_quietly(event):
            try:
                return client.decrypt_event(event)
            except Exception:
                return None

        client.decrypt_event_quietly = decrypt_event_quietly
        checked(await client.login(password, device_name=device_name), "login")
        self.client = client
        await self.sync()
        return {"user_id": client.user_id, "device_id": client.device_id, "access_token": client.access_token}

    async def do_bootstrap(self, **_named):
        raise Failed("matrix-nio knows no cross-signing; let a person at matrix-js-sdk do it")

    do_sign_device = do_isolate = do_bootstrap

    async def do_join(self, room, milliseconds):
        checked(await self.client.join(room), f"join {room}")
        await self.until(lambda: room in self.client.rooms and room in self.rooms, milliseconds, f"joining {room}")
        return {}

    async def do_leave(self, room):
        checked(await self.client.room_leave(room), f"leave {room}")
        return {}

    async def do_send(self, room, type, content):
        # Devices and members that came meanwhile get the keys too.
        await self.sync()
        sent = await self.client.room_send(room, type, content, ignore_unverified_devices=True)
        return {"event_id": checked(sent, f"send {type}").event_id}

    async def do_answer(self, room, event_id, answer):
        type = "org.matrix.msc3381.poll.response"
        relation = {"rel_type": "m.reference", "event_id": event_id}
        return await self.do_send(room, type, {type: {"answers": [answer]}, "m.relates_to": relation})

    async def do_poll(self, **_named):
        raise Failed("matrix-nio knows no polls; let a person at matrix-js-sdk look")

    async def do_redact(self, room, event_id, reason):
        redacted = await self.client.room_redact(room, event_id, reason)
        return {"event_id": checked(redacted, "redact").event_id}

    async def do_hold_keys(self):
        # Those of a new session, as only these are sent.
        self.client.held = []
        self.client.olm.outbound_group_sessions.clear()
        return {}

    async def do_release_keys(self):
        held, self.client.held = self.client.held or [], None
        for request in held:
            checked(await self.client._send(*request), "the keys")
        return {"sent": len(held)}

    async def do_events(self, room):
        await self.sync()
        return [self.sight(room, event_id) for event_id in self.rooms.get(room, {})]

    async def do_until(self, room, match, milliseconds):
        def found():
            for event_id in self.rooms.get(room, {}):
                sight = self.sight(room, event_id)
                if matches(sight, match):
                    return sight
            return None

        return await self.until(found, milliseconds, f"{json.dumps(match)} in {room}", lambda: [
            self.sight(room, event_id) for event_id in self.rooms.get(room, {})
        ])

    async def do_invited(self, sender, milliseconds):
        def found():
            return next((room for room, by in self.invites.items() if sender in (None, by)), None)

        return {"room": await self.until(found, milliseconds, f"an invite by {sender or 'anybody'}")}

    async def do_device(self, user, device_id, trust, milliseconds):
        def there():
            known = self.client.device_store.active_user_devices(user)
            return [{"device_id": device.id, "trust": device.trust_state.name} for device in known]

        def found():
            return next((at for at in there() if at["device_id"] == device_id and trust in (None, at["trust"])), None)

        return await self.until(found, milliseconds, f"the device {device_id} of {user} as {trust or 'any'}", there)

    async def until(self, found, milliseconds, what, instead=lambda: None):
        deadline = time.monotonic() + milliseconds / 1000
        while True:
            value = found()
            if value:
                return value
            left = int((deadline - time.monotonic()) * 1000)
            if left <= 0:
                raise Failed(f"{what}: not within {milliseconds} ms; there is {json.dumps(instead(), ensure_ascii=False)}")
            await self.sync(min(left, SYNC_MILLISECONDS_MAX))


def matches(sight, match):
    """Whether it is what is looked for: all that is named of it. js.mjs has the same."""
    body = sight["content"].get("body", "")
    tests = {
        "event_id": lambda want: sight["event_id"] == want,
        "sender": lambda want: sight["sender"] == want,
        "type": lambda want: sight["type"] == want,
        "says": lambda want: isinstance(body, str) and want in body,
        "relation": lambda want: has(sight["relation"], want),
        "edited": lambda want: sight["edited"] == want,
        "readable": lambda want: sight["readable"] == want,
        "redacted": lambda want: sight["redacted"] == want,
        "reacted": lambda want: any(has(reaction, want) for reaction in sight["reactions"]),
        "not_reacted": lambda want: not any(has(reaction, want) for reaction in sight["reactions"]),
    }
    return all(tests[name](want) for name, want in match.items())


def has(it, want):
    return all(it.get(name) == value for name, value in want.items())


async def main():
    reader = asyncio.StreamReader(limit=LINE_BYTES_MAX)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    person = Person()
    while line := await reader.readline():
        command = json.loads(line)
        id, do = command.pop("id"), command.pop("do")
        try:
            answer = {"ok": await getattr(person, f"do_{do}")(**command)}
        except Exception as failed:  # Whatever it is, the other end tells it.
            answer = {"error": f"{type(failed).__name__}: {failed}"}
        print(json.dumps({"id": id, **answer}), flush=True)
    if person.client is not None:
        await person.client.close()


asyncio.run(main())
