import { createServer, type Server, type Socket } from "node:net";
import { monitorEventLoopDelay } from "node:perf_hooks";
import * as zlib from "node:zlib";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { silentLogger, TinkexError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { createTransport, jsonEvents } from "@tinkex/http";
import {
  decodeFutureResult,
  encodeForwardBackwardOutput,
  encodeSampleResponse,
  type FutureResultName,
} from "@tinkex/wire";
import { seededRandom } from "@tinkex-tooling/hostile-server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** The short campaign is part of every test run; `pnpm test:fuzz` runs the long one. */
const cases = Number(process.env.FUZZ_CASES ?? 1_500);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_128);

const MIB = 2 ** 20;
const random = seededRandom(seed);
const upTo = (most: number): number => Math.floor(random() * (most + 1));
const pick = <Item>(items: readonly [Item, ...Item[]]): Item => items[upTo(items.length - 1)] ?? items[0];

const JSON_SEEDS = [
  '{"metrics":{"loss:sum":1.5},"loss_fn_output_type":"T","loss_fn_outputs":[{"logprobs":{"data":[-1.5,NaN],"dtype":"float32","shape":[2]}}]}',
  '{"type":"sample","sequences":[{"stop_reason":"stop","tokens":[1,2,3],"logprobs":[-1,-2,-3]}],"prompt_logprobs":[null,-1]}',
  '{"type":"try_again","queue_state":"paused_capacity","queue_state_reason":"\\u001b[2J"}',
  '{"status":"complete_metadata","response_payload_size":1000}',
  '{"error":"it failed \\u202e","category":"user"}',
  '{"detail":[{"loc":["body","prompt",0],"msg":"Field required","input":{"a":[1,2]}}]}',
  '{"detail":"\\u0074ml-canary is no key"}',
  '{"path":"tinker://s:train:0/weights/a","type":"save_weights"}',
  "<html><body>502 Bad Gateway</body></html>",
  'id: 4\nevent: metrics\ndata: {"a":[1,2]}\nretry: 5\n\nevent: error\ndata: {"detail":"x"}\n\ndata: [DONE]\n\n',
  "",
] as const;

const PROTOBUF_SEEDS: readonly Uint8Array[] = [
  encodeForwardBackwardOutput({
    loss_fn_output_type: "T",
    loss_fn_outputs: [
      { logprobs: { data: new Float32Array([-1, -2]), dtype: "float32", shape: [2] } },
      { logprobs: { data: new Float32Array([-3]), dtype: "float32", shape: [1] } },
    ],
    metrics: { "loss:sum": 1.5, "n:mean": 2 },
  }).body,
  encodeSampleResponse({
    sequences: [{ stop_reason: "length", tokens: [1, 2, 3], logprobs: [-1, -2, -3] }],
    prompt_logprobs: [null, -1],
    topk_prompt_logprobs: [
      null,
      [
        [1, -0.5],
        [2, -1.5],
      ],
    ],
    prompt_cache_hit_tokens: 0,
  }).body,
];

/** Short, without the key, and without what a terminal obeys. */
function isShowable(message: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
  return message.length < 4_000 && !/tml-canary|[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/.test(message);
}

/** Pieces that hurt somewhere. */
const SPLINTERS: readonly [() => Uint8Array, ...(() => Uint8Array)[]] = [
  () => Buffer.from("[".repeat(upTo(50_000))),
  () => Buffer.from('{"detail":'.repeat(upTo(5_000))),
  () => Buffer.from("{},".repeat(upTo(30_000))),
  () => Buffer.from("9".repeat(upTo(5_000))),
  () => Buffer.from("-1e999,NaN,Infinity"),
  () => Buffer.from('"\\ud800\\u0000\\'),
  () => Buffer.from("\\".repeat(upTo(20_000))),
  () => Buffer.from("\r\n".repeat(upTo(2_000))),
  () => Buffer.alloc(upTo(20_000), upTo(255)),
  () => Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]),
  () => Buffer.from(Array.from({ length: upTo(64) }, () => upTo(255))),
  () => Buffer.from('"__proto__":{"constructor":1},'),
];

function mutated(whole: Uint8Array): Uint8Array {
  let bytes: Uint8Array = Buffer.from(whole);
  for (let count = upTo(4); count > 0; count -= 1) {
    const at = upTo(bytes.length);
    const end = at + upTo(Math.min(16, bytes.length - at));
    const before = bytes.subarray(0, at);
    switch (upTo(4)) {
      case 0:
        if (at < bytes.length) bytes[at] = upTo(255);
        break;
      case 1:
        bytes = Buffer.from(before);
        break;
      case 2:
        bytes = Buffer.concat([before, bytes.subarray(end)]);
        break;
      case 3:
        bytes = Buffer.concat([before, pick(SPLINTERS)(), bytes.subarray(at)]);
        break;
      default:
        bytes = Buffer.concat([
          before,
          bytes.subarray(at, end),
          bytes.subarray(at, end),
          bytes.subarray(end),
        ]);
    }
  }
  return bytes;
}

type Pack = (bytes: Uint8Array) => Uint8Array;
const zstd: Pack = (bytes) =>
  "zstdCompressSync" in zlib && typeof zlib.zstdCompressSync === "function"
    ? zlib.zstdCompressSync(bytes)
    : bytes;
const PACKINGS: readonly [readonly [string, Pack], ...(readonly [string, Pack])[]] = [
  ["", (bytes) => bytes],
  ["", (bytes) => bytes],
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["br", (bytes) => brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ["zstd", zstd],
  ["gzip, gzip", (bytes) => gzipSync(gzipSync(bytes))],
];

/** One answer: its head, and its body in pieces. */
interface FuzzedAnswer {
  readonly pieces: readonly Uint8Array[];
  readonly byteLength: number;
}

function fuzzedAnswer(isProtobuf: boolean): FuzzedAnswer {
  const plain = isProtobuf
    ? (PROTOBUF_SEEDS[upTo(PROTOBUF_SEEDS.length - 1)] ?? new Uint8Array(0))
    : Buffer.from(JSON_SEEDS[upTo(JSON_SEEDS.length - 1)] ?? "");
  const [encoding, pack] = pick(PACKINGS);
  const packed = pack(mutated(plain));
  const body = random() < 0.2 ? mutated(packed) : packed;
  const status = pick([200, 200, 200, 400, 401, 404, 408, 410, 422, 429, 500, 503]);
  const head = [
    `HTTP/1.1 ${status} Whatever`,
    `content-type: ${isProtobuf ? "application/x-protobuf" : "application/json"}`,
    ...(encoding === "" ? [] : [`content-encoding: ${encoding}`]),
    ...(random() < 0.1 ? [`retry-after: ${"9".repeat(upTo(2_000))}x`] : []),
    ...(random() < 0.1 ? [`x-request-id: \u009b${"%74".repeat(upTo(500))}`] : []),
    "transfer-encoding: chunked",
  ];
  const pieces: Uint8Array[] = [Buffer.from(`${head.join("\r\n")}\r\n\r\n`, "latin1")];
  const most = pick([1, 16, 4_096, 65_536]);
  for (let at = 0; at < body.length; ) {
    // One byte at a time is for the beginning; a whole body so would only take time.
    const size = at > 200 ? 65_536 : 1 + upTo(most - 1);
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
    at += piece.length;
  }
  pieces.push(Buffer.from("0\r\n\r\n"));
  return { pieces, byteLength: Math.max(plain.length, body.length) };
}

/** Gives every request the next answer, on bare sockets. */
class AnswerServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  answer: FuzzedAnswer = { pieces: [], byteLength: 0 };

  constructor() {
    this.#server = createServer({ noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      // The requests of this test are small, and come whole.
      socket.on("data", () => {
        socket.cork();
        for (const piece of this.answer.pieces) socket.write(piece);
        socket.uncork();
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

const RESULTS: readonly [FutureResultName, ...FutureResultName[]] = [
  "ForwardBackwardOutput",
  "SampleResponse",
  "OptimStepResponse",
  "SaveWeightsResponse",
  "CreateModelResponse",
];

describe(`a campaign of mutated answers, seed ${seed}`, { timeout: 1_800_000 }, () => {
  const server = new AnswerServer();
  let url = "";
  beforeAll(async () => {
    url = await server.start();
  });
  afterAll(() => server.close());

  it(`${cases} answers to calls: none is an error that is not ours, none takes a second, none takes much memory`, async () => {
    const transport = createTransport({
      baseUrl: url,
      apiKey: "tml-canary",
      clock: new FakeClock(),
      logger: silentLogger,
    });
    const tally: Record<string, number> = {};
    const call = async (isProtobuf: boolean): Promise<string> => {
      const name: FutureResultName = isProtobuf
        ? pick(["ForwardBackwardOutput", "SampleResponse"])
        : pick(RESULTS);
      try {
        const response = await transport.call({
          operation: pick(["retrieve_future", "get_api_key", "session_heartbeat"]),
          returnStatuses: [429],
        });
        return decodeFutureResult(name, {
          ...response,
          status: response.status === 429 ? 408 : response.status,
        }).state;
      } catch (error) {
        if (TinkexError.isInstance(error) && isShowable(error.message)) return error.code;
        throw error;
      }
    };
    const delays = monitorEventLoopDelay({ resolution: 10 });
    let largest = 0;
    let rssBefore = 0;
    let rssMost = 0;
    for (let index = 0; index < cases; index += 1) {
      // The first ones load and compile what all of them use.
      if (index === Math.min(500, cases >> 1)) {
        rssBefore = process.memoryUsage.rss();
        delays.enable();
      }
      const isProtobuf = random() < 0.3;
      server.answer = fuzzedAnswer(isProtobuf);
      largest = Math.max(largest, server.answer.byteLength);
      const outcome = await call(isProtobuf);
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      if (index % 50 === 0) rssMost = Math.max(rssMost, process.memoryUsage.rss());
    }
    delays.disable();
    await transport.close();
    const grown = Math.max(0, rssMost - rssBefore);
    console.log(
      `seed ${seed}: ${cases} answers, ${JSON.stringify(tally)}, largest ${largest} bytes, memory grown by ` +
        `${Math.round(grown / MIB)} MiB, longest stop ${Math.round(delays.max / 1e6)} ms`,
    );
    expect(delays.max / 1e6, "longest stop of the event loop in ms").toBeLessThan(1_000);
    expect(grown, "memory").toBeLessThan(10 * largest + 64 * MIB);
  });

  it(`${cases >> 2} event streams in random pieces`, async () => {
    for (let index = 0; index < cases >> 2; index += 1) {
      const bytes = mutated(Buffer.from(JSON_SEEDS[9]));
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
        pieces.push(bytes.subarray(at, at + 1 + upTo(pick([0, 5, 5_000]))));
      }
      try {
        for await (const event of jsonEvents(pieces, { secrets: ["tml-canary"] }))
          expect(event).toBeDefined();
      } catch (error) {
        expect(TinkexError.isInstance(error), String(error)).toBe(true);
      }
    }
  });
});
