import { onAbort, ValidationError } from "@tinkex/base";
import {
  checkLossRecord,
  compileLossGraph,
  type LossGraph,
  type LossProgram,
} from "@tinkex/tensor/loss-graph";
import type { Channel } from "../../channel/channel.js";
import { trainingPauseLog } from "../../channel/queue-state-log.js";
import type { OperationContext } from "../../future/operation-context.js";
import { CALL_OPTIONS, type CallOptions } from "../../inputs/call-options.js";
import { givenId } from "../../session/given-id.js";
import type { Session } from "../../session/session.js";
import { type LossHandle, lossHandleOf } from "./loss-handle.js";

/** Options of creating a custom loss. */
export interface CreateCustomLossOptions extends CallOptions {
  /** Upload a graph with operations that this package does not know, for a service that runs losses itself. @defaultValue false */
  readonly unchecked?: boolean | undefined;
}

/** The names of {@link CreateCustomLossOptions}. */
export const CREATE_CUSTOM_LOSS_OPTIONS = { ...CALL_OPTIONS, unchecked: true } as const;

/** A loss that was checked and can be created. */
export interface CheckedLoss {
  readonly graph: LossGraph;
  readonly program: LossProgram | undefined;
}

/** Checks a loss before anything is sent. @throws ValidationError naming node and operation */
export function checkCustomLoss(graph: LossGraph, isUnchecked: boolean): CheckedLoss {
  const program = isUnchecked ? undefined : compileLossGraph(graph, "createCustomLoss");
  if (isUnchecked) checkLossRecord(graph, "createCustomLoss");
  // A copy, as the graph is written later than the call.
  return { graph: structuredClone({ name: graph.name, inputs: graph.inputs, graph: graph.graph }), program };
}

/** Creates a loss in a session: uploads it where the service runs losses itself. */
export async function createCustomLoss(
  channel: Channel,
  { graph, program }: CheckedLoss,
  context: OperationContext,
): Promise<LossHandle> {
  const { session, server, environment } = channel;
  const created = { name: graph.name, inputs: graph.inputs, sessionId: session.id, program };
  const isUploaded = server.config.custom_loss_server_side;
  if (!isUploaded && program === undefined) {
    throw new ValidationError(
      `createCustomLoss: loss "${graph.name}": the service does not run custom losses, and unchecked ones cannot run here`,
      { path: ["unchecked"] },
    );
  }
  context.signal.throwIfAborted();
  const losses = sessionLosses(session);
  const forget = losses.register(graph);
  if (!isUploaded) {
    context.submitted();
    return lossHandleOf({ ...created, lossId: undefined });
  }
  // The signal aborts however the operation fails, before its caller hears of that, who may create the loss again at once.
  onAbort(context.signal, forget);
  const log = trainingPauseLog(`Creation of the loss ${graph.name}`, environment);
  const record = { ...graph, session_id: session.id, custom_loss_seq_id: losses.takeId() };
  const { result } = await channel.submit("create_custom_loss", record, context, log);
  context.submitted();
  return lossHandleOf({ ...created, lossId: givenId("loss_id", (await result).loss_id) });
}

/** The losses that one session has created. */
class SessionLosses {
  #count = 0;
  /** Names of the losses by what they compute. */
  readonly #created = new Map<string, string>();

  /** Gives the next number of a loss of the session. */
  takeId(): number {
    this.#count += 1;
    return this.#count - 1;
  }

  /**
   * Notes a loss; the same one is created once.
   *
   * @returns forgets it again, when it could not be uploaded
   */
  register({ name, inputs, graph }: LossGraph): () => void {
    const key = JSON.stringify([inputs, graph.nodes], exactNumber);
    const known = this.#created.get(key);
    if (known !== undefined) {
      throw new ValidationError(
        `createCustomLoss: loss "${name}": this session has created the same loss as "${known}" already; use its handle`,
        { path: ["graph"] },
      );
    }
    this.#created.set(key, name);
    return () => this.#created.delete(key);
  }
}

/** Keeps numbers apart that JSON writes alike, or cannot write. */
function exactNumber(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return { integer: `${value}` };
  if (typeof value !== "number" || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return { float: Object.is(value, -0) ? "-0" : `${value}` };
}

/** Kept beside the sessions, which know nothing of losses. */
const LOSSES = new WeakMap<Session, SessionLosses>();

function sessionLosses(session: Session): SessionLosses {
  const losses = LOSSES.get(session) ?? new SessionLosses();
  LOSSES.set(session, losses);
  return losses;
}
