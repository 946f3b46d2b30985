// A person at matrix-js-sdk, on which Element's web client is built: it knows cross-signing.
//
// Reads commands as lines of JSON, `{"id": 1, "do": "send", …}`, and answers each with one, `{"id": 1, "ok": …}` or
// `{"id": 1, "error": "…"}`; nio.py speaks the same. `src/people.rs` is the other end and says what the commands mean.
// Ends with its input.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

// What libraries log is not an answer.
for (const name of ["log", "debug", "info", "warn", "error", "trace"]) {
  console[name] = (...words) => process.stderr.write(`${words.map(String).join(" ")}\n`);
}

// The client is installed elsewhere.
const installed = createRequire(`${process.env.PLACET_HOMESERVER_CLIENTS}/`);
const load = (name) => import(pathToFileURL(installed.resolve(name)).href);
const { createClient, ClientEvent, SyncState } = await load("matrix-js-sdk");
const { logger } = await load("matrix-js-sdk/lib/logger.js");
const { EventShieldReason, OnlySignedDevicesIsolationMode } = await load("matrix-js-sdk/lib/crypto-api/index.js");
const { Poll } = await load("matrix-js-sdk/lib/models/poll.js");
const { PollResponseEvent } = await load("matrix-js-sdk/lib/extensible_events_v1/PollResponseEvent.js");
logger.setLevel("error", false);

const TIMELINE_LIMIT = 100;
// How often a wait looks whether what it waits for is there: the client syncs and decrypts by itself meanwhile.
const LOOK_MILLISECONDS = 40;

let client;

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function until(found, milliseconds, what, instead = async () => null) {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (performance.now() > deadline) {
      throw new Error(`${what}: not within ${milliseconds} ms; there is ${JSON.stringify(await instead())}`);
    }
    await sleep(LOOK_MILLISECONDS);
  }
}

// What is seen

function timeline(room) {
  const events = client.getRoom(room)?.getUnfilteredTimelineSet().getTimelines().flatMap((part) => part.getEvents());
  // Those that the server has: what is still being sent has an id of its own.
  return (events ?? []).filter((event) => event.getId().startsWith("$"));
}

function sight(room, event) {
  const id = event.getId();
  const annotations = client.getRoom(room).relations.getChildEventsForEvent(id, "m.annotation", "m.reaction");
  const reactions = (annotations?.getRelations() ?? [])
    .filter((reaction) => !reaction.isRedacted() && reaction.getId().startsWith("$"))
    .map((reaction) => ({ key: reaction.getRelation()?.key, sender: reaction.getSender(), event_id: reaction.getId() }));
  const encrypted = event.isEncrypted();
  const readable = !encrypted || (event.getType() !== "m.room.encrypted" && !event.isDecryptionFailure());
  return {
    event_id: id,
    sender: event.getSender(),
    type: event.getType(),
    at: event.getTs(),
    content: event.isRedacted() || !readable ? {} : event.getContent(),
    relation: event.getOriginalContent()["m.relates_to"] ?? event.getWireContent()["m.relates_to"] ?? {},
    edited: event.replacingEvent() !== null,
    encrypted,
    readable,
    why: readable ? null : (event.decryptionFailureReason ?? "no key"),
    redacted: event.isRedacted(),
    reactions,
    device: null,
  };
}

async function whole(room, event) {
  const seen = sight(room, event);
  const told = await client.getCrypto().getEncryptionInfoForEvent(event);
  if (told) {
    const trust = told.shieldReason === null ? "no_warning" : EventShieldReason[told.shieldReason].toLowerCase();
    const sender = event.getSender();
    const devices = (await client.getCrypto().getUserDeviceInfo([sender])).get(sender);
    const key = event.getClaimedEd25519Key();
    const device = [...(devices?.values() ?? [])].find((known) => known.getFingerprint() === key);
    seen.device = { device_id: device?.deviceId ?? null, trust };
  }
  return seen;
}

// Whether it is what is looked for: all that is named of it. nio.py has the same.
function matches(seen, match) {
  const has = (want) => (it) => Object.entries(want).every(([name, value]) => it[name] === value);
  const tests = {
    event_id: (want) => seen.event_id === want,
    sender: (want) => seen.sender === want,
    type: (want) => seen.type === want,
    says: (want) => String(seen.content.body ?? "").includes(want),
    relation: (want) => has(want)(seen.relation),
    edited: (want) => seen.edited === want,
    readable: (want) => seen.readable === want,
    redacted: (want) => seen.redacted === want,
    reacted: (want) => seen.reactions.some(has(want)),
    not_reacted: (want) => !seen.reactions.some(has(want)),
  };
  return Object.entries(match).every(([name, want]) => tests[name](want));
}

// What is done

const commands = {
  async sign_in({ homeserver, user, password, device_name }) {
    const answer = await createClient({ baseUrl: homeserver }).loginRequest({
      type: "m.login.password",
      identifier: { type: "m.id.user", user },
      password,
      initial_device_display_name: device_name,
    });
    const { user_id, device_id, access_token } = answer;
    client = createClient({ baseUrl: homeserver, userId: user_id, deviceId: device_id, accessToken: access_token });
    await client.initRustCrypto({ useIndexedDB: false });
    const synced = new Promise((done) => {
      client.on(ClientEvent.Sync, (state) => state === SyncState.Prepared && done());
    });
    await client.startClient({ initialSyncLimit: TIMELINE_LIMIT, disablePresence: true });
    await synced;
    return { user_id, device_id, access_token };
  },

  async bootstrap({ password, replace }) {
    await client.getCrypto().bootstrapCrossSigning({
      setupNewCrossSigning: replace,
      authUploadDeviceSigningKeys: async (upload) => {
        const identifier = { type: "m.id.user", user: client.getUserId() };
        // The first keys of an account need no password; to replace them does, and the server names the session of it.
        try {
          return await upload(null);
        } catch (asked) {
          if (asked.httpStatus !== 401) throw asked;
          return await upload({ type: "m.login.password", identifier, password, session: asked.data.session });
        }
      },
    });
    return { master_key: await client.getCrypto().getCrossSigningKeyId("master") };
  },

  async sign_device({ device_id, milliseconds }) {
    await commands.device({ user: client.getUserId(), device_id, trust: null, milliseconds });
    await client.getCrypto().crossSignDevice(device_id);
    return {};
  },

  async isolate() {
    client.getCrypto().setDeviceIsolationMode(new OnlySignedDevicesIsolationMode());
    return {};
  },

  async join({ room, milliseconds }) {
    await client.joinRoom(room);
    const joined = () => {
      const known = client.getRoom(room);
      return known?.getMyMembership() === "join" && known.currentState.getStateEvents("m.room.create", "");
    };
    await until(joined, milliseconds, `joining ${room}`);
    return {};
  },

  async leave({ room }) {
    await client.leave(room);
    return {};
  },

  async send({ room, type, content }) {
    const { event_id } = await client.sendEvent(room, type, content);
    return { event_id };
  },

  async answer({ room, event_id, answer }) {
    const { type, content } = PollResponseEvent.from([answer], event_id).serialize();
    return { event_id: (await client.sendEvent(room, type, content)).event_id };
  },

  // The poll as this client takes it, or why it takes it for none; the latest valid answer of each person counts.
  async poll({ room, event_id, milliseconds }) {
    const readable = () =>
      timeline(room).find((event) => event.getId() === event_id && sight(room, event).readable);
    const event = await until(readable, milliseconds, `the poll ${event_id} in ${room}`);
    if (!event.unstableExtensibleEvent) throw new Error(`no poll: ${JSON.stringify(event.getContent())}`);
    const poll = new Poll(event, client, client.getRoom(room));
    const responses = (await poll.getResponses()).getRelations().toSorted((one, other) => one.getTs() - other.getTs());
    const votes = {};
    for (const response of responses) {
      const said = response.unstableExtensibleEvent;
      said?.validateAgainst(poll.pollEvent);
      if (said && !said.spoiled) votes[response.getSender()] = said.answerIds;
    }
    const { question, answers } = poll.pollEvent;
    return {
      question: question.text,
      answers: answers.map(({ id, text }) => ({ id, text })),
      votes,
      ended: poll.isEnded,
    };
  },

  async redact({ room, event_id, reason }) {
    const redacted = await client.redactEvent(room, event_id, undefined, reason ? { reason } : undefined);
    return { event_id: redacted.event_id };
  },

  async hold_keys() {
    throw new Error("matrix-js-sdk sends keys before messages; let a person at matrix-nio do it");
  },

  async events({ room }) {
    return await Promise.all(timeline(room).map((event) => whole(room, event)));
  },

  async until({ room, match, milliseconds }) {
    const find = () => timeline(room).find((event) => matches(sight(room, event), match));
    const there = async () => timeline(room).map((event) => sight(room, event));
    return await whole(room, await until(find, milliseconds, `${JSON.stringify(match)} in ${room}`, there));
  },

  async invited({ sender, milliseconds }) {
    const me = client.getUserId();
    const by = (room) => room.currentState.getStateEvents("m.room.member", me)?.getSender();
    const find = () =>
      client.getRooms().find((room) => room.getMyMembership() === "invite" && [null, by(room)].includes(sender));
    return { room: (await until(find, milliseconds, `an invite by ${sender ?? "anybody"}`)).roomId };
  },

  async device({ user, device_id, trust, milliseconds }) {
    const crypto = client.getCrypto();
    const there = async () => {
      const devices = (await crypto.getUserDeviceInfo([user], true)).get(user) ?? new Map();
      return Promise.all(
        [...devices.keys()].map(async (id) => {
          const { signedByOwner } = await crypto.getDeviceVerificationStatus(user, id);
          return { device_id: id, trust: signedByOwner ? "signed_by_owner" : "unsigned" };
        }),
      );
    };
    const find = async () =>
      (await there()).find((at) => at.device_id === device_id && [null, at.trust].includes(trust));
    return await until(find, milliseconds, `the device ${device_id} of ${user} as ${trust ?? "any"}`, there);
  },
};
commands.release_keys = commands.hold_keys;

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const { id, do: name, ...named } = JSON.parse(line);
  let answer;
  try {
    if (!Object.hasOwn(commands, name)) throw new Error(`no command ${name}`);
    answer = { ok: await commands[name](named) };
  } catch (failed) {
    answer = { error: String(failed?.message ?? failed) };
  }
  process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`);
}
process.exit(0);
