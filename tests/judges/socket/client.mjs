// The official Socket Mode client, which answers whatever comes. It is told where Slack is, and says on its output what
// it met, one JSON object a line.
import { createRequire } from "node:module";

const { PACKAGES, API_URL, APP_TOKEN } = process.env;
const require = createRequire(`${PACKAGES}/`);
const { LogLevel, SocketModeClient } = require("@slack/socket-mode");

const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const warnings = (level) => (...parts) => say({ [level]: parts.join(" ") });

const client = new SocketModeClient({
  appToken: APP_TOKEN,
  // Its pause before it connects again is this long, too.
  clientPingTimeout: 900,
  serverPingTimeout: 60_000,
  clientOptions: { slackApiUrl: API_URL, retryConfig: { retries: 0 } },
  logger: {
    debug() {},
    info() {},
    warn: warnings("warning"),
    error: warnings("error"),
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  },
});

client.on("connected", () => say({ met: "hello" }));
client.on("interactive", async ({ ack, body }) => {
  say({ met: "interactive", user: body.user.id });
  await ack({ response_action: "clear" });
});
client.on("slash_commands", async ({ ack, body }) => {
  say({ met: "slash_commands", text: body.text });
  await ack({ text: `heard ${body.text}` });
});
client.on("app_mention", async ({ ack, event, retry_num }) => {
  say({ met: "app_mention", text: event.text, retry: retry_num });
  await ack();
});

// Whoever started this ends it by closing its input.
process.stdin.resume();
process.stdin.on("end", async () => {
  await client.disconnect();
  process.exit(0);
});

try {
  await client.start();
} catch (error) {
  say({ refused: error.data?.error ?? String(error) });
  process.exit(3);
}
