// The service of client.bench.ts, in a process of its own: `node client-server.mjs HOLD_MS`. Tells its parent two ports. Behind both,
// samples are done HOLD_MS after they were asked for, and polls for one future are held as long; the second port also has
// retrieve_futures. Bare sockets, so that the service is not what is measured.
import { createServer } from "node:net";
import { encodeForwardBackwardOutput, encodeSampleResponse } from "@tinkex/wire";

const holdMs = Number(process.argv[2] ?? 20);
const LENGTH = 64;
const DATUMS = 128;
const DATUM_LENGTH = 512;
/** First token of each sample: replaced by that of its prompt, so that the caller can tell whose result it got. */
const MARK = 0x00abcdef;

const sampleBody = Buffer.from(
  encodeSampleResponse({
    type: "sample",
    prompt_cache_hit_tokens: 0,
    sequences: [
      {
        stop_reason: "length",
        tokens: Int32Array.from({ length: LENGTH }, (_, index) =>
          index === 0 ? MARK : (index * 7919) % 151_643,
        ),
        logprobs: Float32Array.from({ length: LENGTH }, (_, index) => -index / 97),
      },
    ],
  }).body,
);
const markAt = sampleBody.indexOf(Buffer.from(Int32Array.of(MARK).buffer));
const passBody = Buffer.from(
  encodeForwardBackwardOutput({
    loss_fn_output_type: "ArrayRecord",
    loss_fn_outputs: Array.from({ length: DATUMS }, () => ({
      logprobs: {
        data: Float32Array.from({ length: DATUM_LENGTH }, (_, index) => -index / 97),
        dtype: "float32",
        shape: [DATUM_LENGTH],
      },
    })),
    metrics: { "loss:sum": 1.5 },
  }).body,
);

const futures = new Map();
let nextId = 0;
let samplerCount = 0;

/** State of one port: its samplers, each with its completions and the poll that waits for more. */
const newState = (hasBatch) => ({ hasBatch, samplers: new Map() });

/** Gives the state of the sampler that a text names. */
function samplerOf({ samplers }, text) {
  const id = /"sampling_session_id":\s*"([^"]+)"/.exec(text)?.[1];
  if (!samplers.has(id)) samplers.set(id, { completions: [], waiting: undefined });
  return samplers.get(id);
}

const head = (status, type, length) =>
  `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n`;
const SAMPLE_HEAD = Buffer.from(head(200, "application/x-protobuf", sampleBody.length));

function sendJson(answer, record, status = 200) {
  const text = JSON.stringify(record);
  answer(head(status, "application/json", Buffer.byteLength(text)) + text);
}

function newFuture(answer, make, extra = {}) {
  nextId += 1;
  const id = `r${nextId}`;
  const future = { make, doneAtMs: performance.now() + holdMs };
  futures.set(id, future);
  sendJson(answer, { request_id: id, ...extra });
  return id;
}

/** Tells the poll that waits of what was completed after its cursor. */
function tellCompletions(sampler) {
  const { waiting, completions } = sampler;
  if (waiting === undefined || completions.length <= waiting.cursor) return;
  sampler.waiting = undefined;
  clearTimeout(waiting.timer);
  sendJson(waiting.answer, { completions: completions.slice(waiting.cursor), cursor: completions.length });
}

const ROUTES = {
  "client/config": ({ hasBatch }, answer) =>
    sendJson(answer, {
      parallel_fwdbwd_chunks: true,
      sample_use_retrieve_futures: hasBatch,
      // Without the flag a sampler holds as many requests as the benchmark makes, as bare requests do.
      sample_max_concurrent_requests: 100_000,
    }),
  "client/dynamic_config": (_, answer) => sendJson(answer, {}),
  create_session: (_, answer) =>
    sendJson(answer, { type: "create_session", session_id: "00000000-0000-4000-8000-000000000001" }),
  create_sampling_session: (_, answer) => {
    samplerCount += 1;
    sendJson(answer, {
      type: "create_sampling_session",
      sampling_session_id: `s:sample:${samplerCount}`,
    });
  },
  create_model: (_, answer) =>
    newFuture(answer, (reply) => sendJson(reply, { type: "create_model", model_id: "s:train:0" })),
  get_info: (_, answer) =>
    sendJson(answer, {
      type: "get_info",
      model_data: { arch: "x", model_name: "Qwen/Qwen3-8B", tokenizer_id: "Qwen/Qwen3-8B" },
      model_id: "s:train:0",
      is_lora: true,
      lora_rank: 32,
      model_name: "Qwen/Qwen3-8B",
    }),
  asample: (state, answer, body) => {
    const mark = Number(
      /"tokens":\s*\[\s*(\d+)/.exec(body.latin1Slice(0, Math.min(400, body.length)))?.[1] ?? -1,
    );
    const make = (reply) => {
      const bytes = Buffer.concat([SAMPLE_HEAD, sampleBody]);
      bytes.writeInt32LE(mark, SAMPLE_HEAD.length + markAt);
      reply(bytes);
    };
    const id = newFuture(answer, make, { sample_sequence_ids: [`q${nextId}`] });
    if (!state.hasBatch) return;
    const sampler = samplerOf(state, body.toString());
    setTimeout(() => {
      sampler.completions.push({
        state: "finished",
        request_id: id,
        response_payload_uncompressed_size: sampleBody.length,
      });
      tellCompletions(sampler);
    }, holdMs);
  },
  forward_backward: (_, answer) =>
    newFuture(answer, (reply) => {
      reply(Buffer.concat([Buffer.from(head(200, "application/x-protobuf", passBody.length)), passBody]));
    }),
  optim_step: (_, answer) =>
    newFuture(answer, (reply) => sendJson(reply, { type: "optim_step", metrics: null })),
  retrieve_future: (state, answer, body) => {
    const { request_id: id } = JSON.parse(body.toString());
    const future = futures.get(id);
    if (future === undefined) return sendJson(answer, { detail: "unknown" }, 404);
    const waitMs = state.hasBatch ? future.doneAtMs - performance.now() : holdMs;
    const reply = () => {
      futures.delete(id);
      future.make(answer);
    };
    if (waitMs > 0) setTimeout(reply, waitMs);
    else reply();
  },
  retrieve_futures: (state, answer, body) => {
    if (!state.hasBatch) return sendJson(answer, { detail: "Not Found" }, 404);
    const text = body.toString();
    const sampler = samplerOf(state, text);
    const { prev_cursor: cursor, timeout } = JSON.parse(text);
    const nothing = () => {
      sampler.waiting = undefined;
      sendJson(answer, { completions: [], cursor });
    };
    if (timeout === 0) return nothing();
    sampler.waiting = { cursor, answer, timer: setTimeout(nothing, 30_000) };
    tellCompletions(sampler);
  },
};

function route(state, path, answer, body) {
  const known = ROUTES[path];
  if (known !== undefined) return known(state, answer, body);
  if (path.startsWith("samplers/"))
    return sendJson(answer, { sampler_id: "s:sample:0", base_model: "Qwen/Qwen3-8B" });
  if (path === "session_heartbeat" || path === "telemetry" || path.endsWith("/finish"))
    return sendJson(answer, { status: "accepted", type: path });
  sendJson(answer, { detail: "Not Found" }, 404);
}

/** Reads requests off a connection, which come one after the other. */
function serve(socket, state) {
  let chunks = [];
  let size = 0;
  let wanted = 0;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size < wanted) return;
    const all = chunks.length === 1 ? chunk : Buffer.concat(chunks);
    const end = all.indexOf("\r\n\r\n");
    const text = end < 0 ? "" : all.latin1Slice(0, end);
    const length = Number(/\r\ncontent-length: ?(\d+)/i.exec(text)?.[1] ?? 0);
    wanted = end < 0 ? 0 : end + 4 + length;
    chunks = [all];
    if (end < 0 || size < wanted) return;
    chunks = [];
    size = 0;
    wanted = 0;
    const path = text.slice(text.indexOf("/api/v1/") + 8, text.indexOf(" HTTP/")).split("?")[0];
    const answer = (bytes) => socket.write(bytes, "latin1");
    route(state, path, answer, all.subarray(end + 4));
  });
}

const states = [newState(false), newState(true)];
const servers = states.map((state) => createServer((socket) => serve(socket, state)));
for (const server of servers) await new Promise((resolve) => server.listen(0, "127.0.0.1", 4096, resolve));
process.send({ ports: servers.map((server) => server.address().port) });
process.on("disconnect", () => process.exit(0));
