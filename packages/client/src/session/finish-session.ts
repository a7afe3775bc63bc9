import { ApiStatusError, errorMessage } from "@tinkex/base";
import type { FinishSessionRequest } from "@tinkex/types";
import type { Session } from "./session.js";

/** Closing must not hang on a service that does not answer. */
const LIMIT_MS = 5_000;
/** The server does not know of finishing, or the session is finished already. */
const TOLERATED: readonly number[] = [404, 405, 409, 410];

/**
 * Tells the service that the session is over, where it understands that. Failures are logged: the session then expires.
 *
 * @returns false when the service has no such endpoint, and keeps what was made in the session
 */
export async function finishSession(session: Session, request: FinishSessionRequest): Promise<boolean> {
  if (!session.server.generation.finishesSessions) return false;
  try {
    await session.unpaused.call("finish_session", request, {
      path: { session: session.id },
      onBehalfOf: { method: "ServiceClient.close" },
      timeoutMs: LIMIT_MS,
    });
  } catch (error) {
    if (error instanceof ApiStatusError && TOLERATED.includes(error.status)) {
      return error.status !== 404 && error.status !== 405;
    }
    session.environment.logger.warn(
      `the service was not told that session ${session.id} is over, so it will expire: ${errorMessage(error)}`,
    );
  }
  return true;
}

/** Frees models on a service that does not end sessions, where they would stay for ever. Never rejects. */
export async function unloadModels(session: Session, models: Iterable<string>): Promise<void> {
  const { logger } = session.environment;
  await Promise.all(
    Array.from(models, (model_id) =>
      session.unpaused
        .call("unload_model", { model_id }, { timeoutMs: LIMIT_MS })
        .catch((error: unknown) => logger.debug(`model ${model_id} was not unloaded`, { error })),
    ),
  );
}
