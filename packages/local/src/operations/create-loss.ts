import { compileLossGraph } from "@tinkex/tensor/loss-graph";
import { userFailure } from "../errors/operation-failure.js";
import { fingerprint } from "../order/fingerprint.js";
import type { ServerState } from "../registries/server-state.js";
import type { CreateCustomLossBody } from "../requests/loss-bodies.js";

/** Most losses of one session: a program makes a few, and each stays until its session ends. */
const MAX_LOSSES = 1024;

/**
 * `create_custom_loss`: takes a loss as a graph. A graph that cannot run fails its future, which names node and operation. Returns the
 * request id.
 *
 * @throws RequestRefusal 400, 404, 409
 */
export function createLoss(state: ServerState, body: CreateCustomLossBody): string {
  const { session_id, custom_loss_seq_id: number, name, inputs, graph } = body;
  const session = state.sessions.findOpen(session_id);
  const id = `${session.id}:loss:${number}`;
  return state.futures.submit({ key: `the creation of ${id}`, fingerprint: fingerprint(body) }, async () => {
    const count = state.losses.countOf(session.id);
    if (count >= MAX_LOSSES) {
      throw userFailure(
        `create_custom_loss: a session may have ${MAX_LOSSES} losses, and has ${count}; use the handles there are`,
      );
    }
    const program = compileLossGraph({ name, inputs, graph }, "create_custom_loss");
    state.losses.add({ id, sessionId: session.id, program });
    return { name: "CreateCustomLossResponse", result: { loss_id: id, type: "create_custom_loss" } };
  });
}
