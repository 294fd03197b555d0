// Sends CloudEvents with a NATS client that is not Go.
//
//   node send.mjs publish nats://127.0.0.1:4222 shiplog.inbox.local  < events.jsonl
//   node send.mjs request nats://127.0.0.1:4222 shiplog.submit.local < events.jsonl
//
// Standard input holds one event a line. publish hands each to JetStream and
// prints the acknowledgement; request waits for the receipt and prints that.
// One JSON object a line comes out, in order. Exit 1 if anything went unanswered.
import { createInterface } from "node:readline";
import { jetstream } from "@nats-io/jetstream";
import { connect, headers } from "@nats-io/transport-node";

const [mode, servers, subject] = process.argv.slice(2);
if (!["publish", "request"].includes(mode) || !servers || !subject) {
  console.error("usage: node send.mjs publish|request URL SUBJECT < events.jsonl");
  process.exit(2);
}

const nc = await connect({ servers, reconnect: false, timeout: 5000 });
const h = headers();
h.set("content-type", "application/cloudevents+json");
try {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === "") continue;
    if (mode === "publish") {
      console.log(JSON.stringify(await jetstream(nc).publish(subject, line, { headers: h })));
    } else {
      console.log((await nc.request(subject, line, { headers: h, timeout: 10_000 })).string());
    }
  }
} catch (err) {
  console.error(`${mode} ${subject}: ${err.message}`);
  process.exitCode = 1;
} finally {
  await nc.close();
}
