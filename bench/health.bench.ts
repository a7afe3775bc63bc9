// Health checks of a local server while 500 samples are under way at once: `pnpm bench health [SAMPLES] [ROUNDS]`. Checked first: every sample is
// answered. Wants a machine with nothing else to do.
import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";

const samples = Number(process.argv[2] ?? 500);
const ROUNDS = Number(process.argv[3] ?? 5);
const PROMPT_TOKENS = 64;
const MAX_TOKENS = 32;
const CHECK_INTERVAL_MS = 5;
/** The poll of a sample is held for as long by the server. */
const POLL_TIMEOUT_MS = 60_000;

const server = fork(new URL("health-server.mjs", import.meta.url), {
  execArgv: ["--conditions=@tinkex/source", "--import=tsx"],
});
const [{ url }] = (await once(server, "message")) as [{ readonly url: string }];
const { port } = new URL(url);
const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });

/** Posts JSON, or gets. Resolves with status and body. */
function call(path: string, body?: object): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request({
      agent,
      port,
      path: `/api/v1${path}`,
      method: text === undefined ? "GET" : "POST",
      headers:
        text === undefined ? {} : { "content-type": "application/json", "content-length": text.length },
      timeout: POLL_TIMEOUT_MS,
    });
    sent.on("error", reject);
    sent.on("response", (response) => {
      let received = "";
      response.setEncoding("utf8").on("data", (piece) => {
        received += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: received }));
    });
    sent.end(text);
  });
}

const { session_id } = JSON.parse((await call("/create_session", {})).body);
const { sampling_session_id } = JSON.parse(
  (
    await call("/create_sampling_session", {
      session_id,
      sampling_session_seq_id: 0,
      base_model: "tinkex/pocket-1",
    })
  ).body,
);
let sequence = 0;

/** Sends a sample and waits for its tokens. */
async function sample(): Promise<void> {
  sequence += 1;
  const tokens = Array.from({ length: PROMPT_TOKENS }, (_, i) => 100 + ((i * 7 + sequence * 13) % 100));
  const accepted = await call("/asample", {
    sampling_session_id,
    seq_id: sequence,
    prompt: { chunks: [{ type: "encoded_text", tokens }] },
    sampling_params: { max_tokens: MAX_TOKENS, seed: sequence, stop: [] },
  });
  const { request_id } = JSON.parse(accepted.body);
  for (;;) {
    const { status, body } = await call("/retrieve_future", { request_id });
    if (status === 408) continue;
    if (status !== 200 || !body.includes('"sequences"'))
      throw new Error(`a sample must be answered, got ${status} ${body}`);
    return;
  }
}

/** Times of health checks until the work is done, in milliseconds. */
async function checkUntil(done: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isDone = false;
  void done.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    const start = performance.now();
    const { status } = await call("/healthz");
    times.push(performance.now() - start);
    if (status !== 200) throw new Error(`healthz must be 200, got ${status}`);
    await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
  }
  return times;
}

await sample();
for (let round = 0; round < ROUNDS; round += 1) {
  server.send("begin");
  const start = performance.now();
  const work = Promise.all(Array.from({ length: samples }, sample));
  const times = (await checkUntil(work)).sort((a, b) => a - b);
  const ms = performance.now() - start;
  server.send("end");
  const [figures] = await once(server, "message");
  const at = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(share * times.length))]?.toFixed(1);
  console.log(
    `${samples} samples in ${ms.toFixed(0)} ms; ${times.length} health checks: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ` +
      `max ${at(1)} ms; loop of the server: p99 ${figures.loopP99Ms.toFixed(1)} ms, longest stop ${figures.worst.ms.toFixed(0)} ms ` +
      `with ${figures.worst.cpuMs.toFixed(0)} ms of processor time`,
  );
}
agent.destroy();
server.disconnect();
