// Bolt for JavaScript, ready to take anything; prints its port.
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.JUDGES_HOME, "package.json"));
const { App, HTTPReceiver, LogLevel } = require("@slack/bolt");

const quiet = { debug() {}, info() {}, warn() {}, error() {}, setLevel() {}, getLevel: () => LogLevel.ERROR, setName() {} };
const receiver = new HTTPReceiver({
  signingSecret: process.env.SIGNING_SECRET,
  logger: quiet,
  // What no listener acknowledges is answered 404 after this.
  unhandledRequestTimeoutMillis: 150,
});
const authorize = async () => ({ botToken: "xoxb-unused", botId: "B0PLACET01", botUserId: "U0PLACETBT" });
const app = new App({ receiver, authorize, logger: quiet });
const takes = async ({ ack }) => ack?.();
app.event(/.*/, takes);
app.action(/.*/, takes);
app.command(/.*/, takes);
app.view(/.*/, takes);
app.view({ callback_id: /.*/, type: "view_closed" }, takes);
const server = await app.start({ port: 0, host: "127.0.0.1" });
console.log(server.address().port);
