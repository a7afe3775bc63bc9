import { readdirSync, readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import type { Logger } from "@tinkex/base";
import { ENDPOINTS } from "@tinkex/types";
import { decodeResponse, type EndpointWithAnswer } from "@tinkex/wire";
import { describe, expect, it } from "vitest";
import { createEngine } from "../compute/create-engine.js";
import { Dice } from "../testing/fuzz/dice.js";
import {
  ENDED_SESSION,
  type Exchange,
  endpointRequests,
  RECORDED_FUTURE,
  RECORDED_SESSION,
} from "../testing/fuzz/endpoint-requests.js";
import { type FuzzRequest, mutateRequest } from "../testing/fuzz/fuzz-request.js";
import { LoopWatch } from "../testing/fuzz/loop-watch.js";
import { passBody, TestClient } from "../testing/test-client.js";
import { startServing } from "../testing/test-server.js";
import { endpointOf } from "./endpoint-of.js";

/** A few hundred in every run; `pnpm test:fuzz` sets the variables for the campaign. */
const cases = Number(process.env.FUZZ_CASES ?? 600);
const seed = Number(process.env.FUZZ_SEED ?? 20_261_128);
/** Only the campaign, which runs alone, judges by time and memory. */
const isCampaign = process.env.FUZZ_CASES !== undefined;

/** A server serves so many before it is closed and another one is opened: models that were made are meant to stay. */
const REQUESTS_PER_SERVER = 2_000;
const AT_ONCE = 16;
const WARM_UP = 200;
/** No request is held longer: polls, and operations whose turn does not come, have limits far below. */
const ANSWER_TIMEOUT_MS = 20_000;

const MODEL = "Qwen/Qwen3-8B";
const directory = new URL("../../fixtures/numerics/models/tiny-llama", import.meta.url).pathname;
const fixtures = new URL("../../fixtures/wire/", import.meta.url);

/** Requests of recordings, which fill a third of them with polls, and end what the others work on. */
const recorded: readonly Exchange[] = readdirSync(fixtures)
  .filter((name) => name.endsWith(".json"))
  .flatMap((name): Exchange[] => JSON.parse(readFileSync(new URL(name, fixtures), "utf8")))
  .filter(({ path }, index) => !path.endsWith("retrieve_future") || index % 5 === 0)
  .filter(({ path }) => !path.endsWith("/finish") && !path.endsWith("/unload_model"));

/** Requests to all routes, each of which has its turn. */
const everyRoute = endpointRequests();

/** Ids of the server that runs, in the place of those that were recorded. */
interface LiveIds {
  readonly session: string;
  readonly endedSession: string;
  readonly future: string;
  readonly sequenceId: number;
}

/** The request with the ids of a server that runs, and the next number in the order of its model. */
function liveRequest(
  exchange: Exchange,
  { session, endedSession, future, sequenceId }: LiveIds,
): FuzzRequest {
  const live = (text: string) =>
    text
      .replaceAll(RECORDED_SESSION, session)
      .replaceAll(ENDED_SESSION, endedSession)
      .replaceAll(RECORDED_FUTURE, future);
  const { method, path, accept, contentType, text, base64 } = exchange;
  const content =
    text === undefined
      ? live(Buffer.from(base64 ?? "", "base64").toString("latin1"))
      : live(text).replace(/"seq_id":\d+/, `"seq_id":${sequenceId}`);
  return {
    method,
    path: live(path),
    headers: { accept, ...(contentType === undefined ? {} : { "content-type": contentType }) },
    body:
      contentType === undefined ? undefined : Buffer.from(content, text === undefined ? "latin1" : "utf8"),
  };
}

/** Throws unless the answer is one that the endpoint may give: its record, or the reason of a refusal. */
function checkAnswer({ method, path }: FuzzRequest, { status, body }: FuzzAnswer): void {
  const [address = ""] = path.split("?", 1);
  const name = address.startsWith("/api/v1/")
    ? endpointOf(method, address.slice("/api/v1".length))
    : undefined;
  if (status >= 400) {
    // The long poll says with 408 that there is nothing yet.
    if (status === 408 && name === "retrieve_future") return;
    const { detail } = JSON.parse(body);
    if (detail === undefined || detail === "") throw new Error("the refusal must have a detail");
  } else if (status >= 300) {
    // Only files lie elsewhere.
    if (name !== "get_checkpoint_archive") throw new Error("only an archive may be elsewhere");
  } else if (name !== undefined && "response" in ENDPOINTS[name]) {
    decodeResponse(name as EndpointWithAnswer, Buffer.from(body));
  }
}

interface FuzzAnswer {
  readonly status: number;
  readonly body: string;
}

function send(port: number, agent: Agent, { method, path, headers, body }: FuzzRequest): Promise<FuzzAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({
      agent,
      port,
      method,
      path,
      headers: { ...headers, ...(body && { "content-length": body.length }) },
    });
    sent.on("error", reject);
    sent.setTimeout(ANSWER_TIMEOUT_MS, () => sent.destroy(new Error("no answer")));
    sent.on("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on("error", reject);
    });
    sent.end(body);
  });
}

class Complaints implements Logger {
  readonly lines: string[] = [];
  debug(): void {}
  info(): void {}
  warn(): void {}
  error(message: string, fields?: Readonly<Record<string, unknown>>): void {
    this.lines.push(
      `${message} ${String(fields?.error instanceof Error ? fields.error.stack : fields?.error)}`,
    );
  }
}

describe("mutated requests", () => {
  it(
    "of every route and form leave a server that answers them, and goes on working",
    async () => {
      const dice = new Dice(seed, "requests");
      const tally: Record<string, number> = {};
      let begun = 0;
      let worstDelayMs = 0;
      let grownBytes = 0;
      let largestBody = 0;
      for (let done = 0; done < cases; done += REQUESTS_PER_SERVER) {
        const logger = new Complaints();
        const engine = await createEngine({
          model: { name: MODEL, directory },
          runtime: "native",
          threads: 1,
        });
        const running = await startServing(engine, {
          logger,
          limits: { holdMs: 20, gapTimeoutMs: 200, requestTimeoutMs: 5_000, headTimeoutMs: 5_000 },
        });
        const client = new TestClient(running.url, MODEL);
        const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
        const session = await client.createSession();
        const modelId = await client.createModel(session);
        const endedSession = await client.createSession();
        const sampler = { session_id: session, sampling_session_seq_id: 0, base_model: MODEL };
        await client.post("/create_sampling_session", sampler);
        const watch = new LoopWatch();
        let sequenceId = 0;
        let answered = 0;
        let leastRss = Number.POSITIVE_INFINITY;
        const requestIds: string[] = [];
        const one = async () => {
          begun += 1;
          const exchange =
            begun % 2 === 0
              ? everyRoute[(begun / 2) % everyRoute.length]
              : recorded[dice.below(recorded.length)];
          if (exchange === undefined) return;
          sequenceId += dice.hits(0.3) ? 1 : 0;
          const ids = { session, endedSession, future: requestIds.at(-1) ?? RECORDED_FUTURE, sequenceId };
          const request = mutateRequest(liveRequest(exchange, ids), dice);
          const { status, body } = await send(running.port, agent, request).catch((error: unknown) => ({
            status: 0,
            body: String(error),
          }));
          const shown = `${request.method} ${request.path} ${JSON.stringify(request.headers)} ${Buffer.from(
            request.body ?? [],
          )
            .toString("latin1")
            .slice(0, 500)} → ${status} ${body.slice(0, 300)}`;
          expect(status, shown).toBeGreaterThan(0);
          expect(status, shown).toBeLessThan(500);
          expect(status < 400 || body.length < 20_000, shown).toBe(true);
          expect(() => checkAnswer(request, { status, body }), shown).not.toThrow();
          tally[status] = (tally[status] ?? 0) + 1;
          const id = /"request_id":"([^"]+)"/.exec(body)?.[1];
          if (status === 200 && id !== undefined) requestIds.push(id);
          largestBody = Math.max(largestBody, request.body?.length ?? 0);
          // The first requests compile what they run.
          answered += 1;
          if (answered < WARM_UP) return;
          const { rss } = process.memoryUsage();
          leastRss = Math.min(leastRss, rss);
          grownBytes = Math.max(grownBytes, rss - leastRss);
        };
        const share = Math.min(REQUESTS_PER_SERVER, cases - done);
        let left = share;
        await Promise.all(
          Array.from({ length: AT_ONCE }, async () => {
            while (left-- > 0) await one();
          }),
        );
        worstDelayMs = Math.max(worstDelayMs, watch.stop());
        // What was taken ends for reasons of its sender only.
        for (const id of requestIds.slice(-50)) {
          const outcome = await client.retrieve(id);
          // A number that never came is told as the server's doing; all else would be.
          if (outcome.category === "server") expect(outcome.error).toMatch(/did not arrive within/);
          tally[String(outcome.category ?? "done")] = (tally[String(outcome.category ?? "done")] ?? 0) + 1;
        }
        expect(await client.run("/forward_backward", passBody(await client.createModel(), 1))).toMatchObject({
          metrics: expect.any(Object),
        });
        expect(modelId).toContain(session);
        expect(logger.lines).toEqual([]);
        agent.destroy();
        await running.close();
      }
      const figures = {
        ...tally,
        worstDelayMs,
        grownMiB: grownBytes / 2 ** 20,
        largestBody,
      };
      console.log(`${cases} requests, seed ${seed}: ${JSON.stringify(figures)}`);
      if (isCampaign) {
        expect(worstDelayMs).toBeLessThan(1_000);
        expect(grownBytes).toBeLessThan(10 * largestBody + 64 * 2 ** 20);
      }
    },
    60_000 + cases * 60,
  );
});
