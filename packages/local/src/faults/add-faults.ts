import { encodeFutureOutcome } from "@tinkex/wire";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { OperationFailure } from "../errors/operation-failure.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { finishSession } from "../operations/shutdown.js";
import { submitOperation } from "../operations/submit-operation.js";
import type { ServerState } from "../registries/server-state.js";
import { describeBody, describeHead, fieldsOf, isOperation } from "./describe-request.js";
import type { Delay, Disconnect, EndpointFault, Failure, FutureFault, Refusal } from "./fault.js";
import type { FaultBook } from "./fault-book.js";
import { type KnownFuture, KnownFutures } from "./known-futures.js";
import type { OpenRequest, RequestLog } from "./logged-request.js";

/** Request under way, beside its entry in the log. */
interface Exchange {
  readonly logged: OpenRequest;
  /** Set for operations. */
  future: KnownFuture | undefined;
  losesAnswer: boolean;
}

export interface FaultOptions {
  readonly state: ServerState;
  readonly faults: FaultBook;
  readonly log: RequestLog;
}

/** Adds hooks that log every request and let faults meet it. They must be there before any other hook. */
export function addFaults(app: FastifyInstance, { state, faults, log }: FaultOptions): void {
  const exchanges = new WeakMap<FastifyRequest, Exchange>();
  const futures = new KnownFutures();
  const lostSessions = new Set<string>();

  app.addHook("onRequest", async (request, reply) => {
    const logged = log.add(describeHead(request, state.clock.now()));
    exchanges.set(request, { logged, future: undefined, losesAnswer: false });
    reply.raw.once("finish", () => {
      logged.status = reply.raw.statusCode;
      logged.answeredAtMs = state.clock.now();
    });
  });

  app.addHook("preHandler", async (request, reply) => {
    const exchange = exchanges.get(request);
    if (exchange === undefined) return;
    const { logged } = exchange;
    const { body, ...ids } = describeBody(logged.endpoint, request);
    Object.assign(logged, ids);
    log.keepBody(logged, body);
    const polled = logged.endpoint === "retrieve_future" ? futures.get(logged.requestId) : undefined;
    if (polled !== undefined) {
      logged.operation = polled.operation;
      logged.sessionId = polled.sessionId;
    }
    refuseLostSession(logged.sessionId);
    const ofEndpoint = faults.ofRequest(logged);
    if (ofEndpoint !== undefined) await meetEndpoint(ofEndpoint, exchange, reply);
    if (reply.sent) return reply;
    if (polled?.fault !== undefined && isMet(polled, polled.fault)) {
      polled.metPolls += 1;
      await meetPoll(polled.fault, exchange, request, reply);
      if (reply.sent) return reply;
    }
    if (!isOperation(logged.endpoint)) return;
    const future = futures.ofSubmission(logged, logged.endpoint, () => faults.ofFuture(logged));
    exchange.future = future;
    if (future.fault !== undefined && "fail" in future.fault)
      return submitFailure(future.fault, { ...logged, body }, reply);
  });

  app.addHook("onSend", async (request, reply, payload) => {
    const exchange = exchanges.get(request);
    if (exchange?.future !== undefined && reply.statusCode === 200) {
      const requestId = requestIdIn(payload);
      if (requestId !== undefined) {
        exchange.logged.requestId = requestId;
        futures.note(requestId, exchange.future);
      }
    }
    if (exchange?.losesAnswer === true) hangUp(reply);
    return payload;
  });

  async function meetEndpoint(fault: EndpointFault, exchange: Exchange, reply: FastifyReply): Promise<void> {
    exchange.logged.fault = fault;
    if (!("loseSession" in fault)) return meet(fault, exchange, reply);
    const { sessionId } = exchange.logged;
    if (sessionId === undefined) return;
    lostSessions.add(sessionId);
    await finishSession(state, sessionId, "lost").catch(() => {});
    refuseLostSession(sessionId);
  }

  async function meetPoll(
    fault: FutureFault,
    exchange: Exchange,
    { headers }: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    exchange.logged.fault = fault;
    const { requestId = "" } = exchange.logged;
    const answer = { accept: headers.accept, requestId };
    if ("expire" in fault) {
      throw new RequestRefusal(
        410,
        `the result of ${requestId} is gone, by a fault of the test; submit again`,
      );
    }
    if ("queueState" in fault) {
      const { queueState: queue_state, reason: queue_state_reason } = fault;
      const outcome = {
        state: "pending",
        queue_state,
        ...(queue_state_reason === undefined ? {} : { queue_state_reason }),
      } as const;
      const { body, contentType } = encodeFutureOutcome("OptimStepResponse", outcome, answer);
      await reply.code(408).type(contentType).send(body);
    } else if ("fail" in fault) {
      const outcome = { state: "failed", error: fault.fail, category: fault.category ?? "server" } as const;
      const { body, contentType } = encodeFutureOutcome("OptimStepResponse", outcome, answer);
      await reply.code(200).type(contentType).send(body);
    } else await meet(fault, exchange, reply);
  }

  async function meet(
    fault: Refusal | Disconnect | Delay,
    exchange: Exchange,
    reply: FastifyReply,
  ): Promise<void> {
    if (fault.delayMs !== undefined && !(await pause(state, fault.delayMs, reply))) return hangUp(reply);
    if ("status" in fault) {
      const { status, detail = `status ${status} by a fault of the test`, retryAfterSeconds } = fault;
      if (retryAfterSeconds !== undefined) void reply.header("retry-after", String(retryAfterSeconds));
      throw new RequestRefusal(status, detail);
    }
    if (!("disconnect" in fault)) return;
    if (fault.disconnect === "before") hangUp(reply);
    else exchange.losesAnswer = true;
  }

  /** Lets an operation of a model fail in its place of the order, so that it is not run. All others fail at their polls. */
  async function submitFailure(
    { fail, category = "server" }: Failure,
    { endpoint, modelId, sequenceId, body }: OpenRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> {
    const model = modelId === undefined ? undefined : state.models.get(modelId);
    if (model === undefined) return undefined;
    const requestId = submitOperation(state, {
      model,
      sequenceId,
      content: { operation: `failing ${endpoint}`, ...fieldsOf(body) },
      run: () => Promise.reject(new OperationFailure(fail, category)),
    });
    return reply.send({ request_id: requestId });
  }

  function refuseLostSession(sessionId: string | undefined): void {
    if (sessionId === undefined || !lostSessions.has(sessionId)) return;
    throw new RequestRefusal(
      404,
      `no session ${sessionId}: open one with create_session (a restart forgets sessions)`,
    );
  }
}

function isMet({ metPolls }: KnownFuture, fault: FutureFault): boolean {
  const isForGood = "fail" in fault || "expire" in fault;
  return metPolls < (fault.polls ?? (isForGood ? Number.POSITIVE_INFINITY : 1));
}

/** Waits, unless the client goes. Returns whether it is still there. */
async function pause({ clock }: ServerState, ms: number, reply: FastifyReply): Promise<boolean> {
  const gone = new AbortController();
  const leave = () => gone.abort();
  reply.raw.once("close", leave);
  await clock.sleep(ms, gone.signal).catch(() => {});
  reply.raw.off("close", leave);
  return !gone.signal.aborted;
}

function hangUp(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.destroy();
}

function requestIdIn(payload: unknown): string | undefined {
  if (typeof payload !== "string") return undefined;
  const answer: unknown = JSON.parse(payload);
  if (typeof answer !== "object" || answer === null || !("request_id" in answer)) return undefined;
  return typeof answer.request_id === "string" ? answer.request_id : undefined;
}
