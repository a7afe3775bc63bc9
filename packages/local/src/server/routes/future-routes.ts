import type { FutureOutcome, Records } from "@tinkex/types";
import { encodeFutureOutcome, type FutureResultName } from "@tinkex/wire";
import type { FastifyInstance, FastifyReply } from "fastify";
import { OperationFailure } from "../../errors/operation-failure.js";
import { shortened } from "../../json/shortened.js";
import type { FutureAnswer } from "../../registries/future-store.js";
import type { OperationResult, ServerState } from "../../registries/server-state.js";
import type { FairTurns } from "../fair-turns.js";
import { on, onUnread } from "../on-endpoint.js";
import { readRequest } from "../request-readers.js";

/**
 * The endpoint `retrieve_future`: a long poll. A result that is not there within `holdMs` is answered 408, which every generation of
 * the SDKs reads as "ask again" without troubling its user; a failure of the work is a 200 with `error` and `category`.
 */
export function addFutureRoutes(
  api: FastifyInstance,
  state: ServerState,
  { holdMs, turns }: { readonly holdMs: number; readonly turns: FairTurns },
): void {
  // The table names no record for the answer: it is the result of any operation, in JSON or protobuf.
  onUnread(api, "retrieve_future", async ({ body: sent, accept }, reply) => {
    const { request_id: requestId } = readRequest("retrieve_future", sent);
    const gone = signalOf(reply);
    const answer = await state.futures.wait(requestId, holdMs, gone).catch((error: unknown) => {
      if (!gone.aborted) throw error;
    });
    // Nobody is left to be answered.
    if (answer === undefined) return reply.hijack();
    // Samples of one batch end together, and their answers are large.
    await turns.enter();
    // A result counts as delivered only when its last byte was written; a client that hung up will ask again.
    if (answer.state !== "pending") reply.raw.once("finish", () => state.futures.markDelivered(requestId));
    const [name, outcome] = outcomeOf(answer);
    const { body, contentType } = encodeFutureOutcome(name, outcome, {
      accept,
      requestId,
    });
    return reply
      .code(answer.state === "pending" ? 408 : 200)
      .type(contentType)
      .send(body);
  });
}

/**
 * Endpoint `retrieve_futures`: one long poll for all samples of a sampler. Their results are fetched with `retrieve_future`.
 */
export function addFeedRoute(api: FastifyInstance, state: ServerState, holdMs: number): void {
  onUnread(api, "retrieve_futures", async ({ body }, reply) => {
    const { target, prev_cursor: cursor = 0, timeout } = readRequest("retrieve_futures", body);
    const { sampling_session_id: samplerId, cloned_sampler_id: clone = 0 } = target;
    const { sessionId } = await state.samplers.find(samplerId);
    state.sessions.findOpen(sessionId);
    const held = Math.min(holdMs, (timeout ?? Number.POSITIVE_INFINITY) * 1000);
    const gone = signalOf(reply);
    const answer = await state.completions
      .of(samplerId, clone)
      .read(Number(cursor), held, gone)
      .catch((error: unknown) => {
        if (!gone.aborted) throw error;
      });
    return answer ?? reply.hijack();
  });
}

/** Endpoint `cancel_future`: ends a sample that nobody waits for. What trains runs on, since others may build on it. */
export function addCancelRoute(api: FastifyInstance, state: ServerState): void {
  on(api, "cancel_future", async ({ request_id: requestId }) => {
    state.futures.cancel(requestId, new OperationFailure("it was cancelled by its client", "user"));
  });
}

/** Name for outcomes that are no result: they are written in the same form whatever the operation. */
const ANY_RESULT = "OptimStepResponse" satisfies FutureResultName;

function outcomeOf(
  answer: FutureAnswer<OperationResult>,
): readonly [FutureResultName, FutureOutcome<Records[FutureResultName]>] {
  switch (answer.state) {
    case "pending":
      return [ANY_RESULT, { state: "pending", queue_state: "active" }];
    case "failed":
      return [
        ANY_RESULT,
        {
          state: "failed",
          error: shortened(answer.failure.message),
          category: answer.failure.category,
        },
      ];
    case "done":
      return [answer.value.name, { state: "complete", result: answer.value.result }];
  }
}

/** Aborts when the client is gone before it was answered. */
function signalOf(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => {
    if (!reply.raw.writableFinished)
      gone.abort(new Error("retrieve_future: the client closed the connection"));
  });
  return gone.signal;
}
