import { ApiStatusError, errorMessage } from "@tinkex/base";
import type { FinishSessionRequest } from "@tinkex/types";
import type { Session } from "./session.js";

/** Closing must not hang on a service that does not answer. */
const LIMIT_MS = 5_000;
/** The server does not know of finishing, or the session is finished already. */
const TOLERATED: readonly number[] = [404, 405, 409, 410];

/** Tells the service that the session is over, where it understands that. Failures are logged: the session then expires. */
export async function finishSession(opening: Promise<Session>, request: FinishSessionRequest): Promise<void> {
  const session = await opening.catch(() => undefined);
  if (session === undefined || !session.server.generation.finishesSessions) return;
  try {
    await session.unpaused.call("finish_session", request, {
      path: { session: session.id },
      onBehalfOf: { method: "ServiceClient.close" },
      timeoutMs: LIMIT_MS,
    });
  } catch (error) {
    if (error instanceof ApiStatusError && TOLERATED.includes(error.status)) return;
    session.environment.logger.warn(
      `the service was not told that session ${session.id} is over, so it will expire: ${errorMessage(error)}`,
    );
  }
}
