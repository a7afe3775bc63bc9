import { ApiStatusError } from "@tinkex/base";
import type { FinishSessionRequest } from "@tinkex/types";
import { encodeJsonRequest } from "@tinkex/wire";
import { methodHeaders } from "./sdk-method.js";
import type { Session } from "./session.js";

/** Closing must not hang on a service that does not answer. */
const LIMIT_MS = 5_000;
/** The server does not know of finishing, or the session is finished already. */
const TOLERATED: readonly number[] = [404, 405, 409, 410];

/** Tells the service that the session is over, where it understands that. Failures are logged: the session then expires. */
export async function finishSession(opening: Promise<Session>, request: FinishSessionRequest): Promise<void> {
  const session = await opening.catch(() => undefined);
  if (session === undefined || !session.server.generation.finishesSessions) return;
  const { settings, unpausedTransport: transport } = session.core;
  const { body } = encodeJsonRequest("FinishSessionRequest", request, { generation: "0.38" });
  try {
    await transport.call({
      operation: "finish_session",
      pathParameters: { session: session.id },
      body,
      headers: methodHeaders("ServiceClient.close", settings.sdkVersion),
      timeoutMs: LIMIT_MS,
    });
  } catch (error) {
    if (error instanceof ApiStatusError && TOLERATED.includes(error.status)) return;
    const reason = error instanceof Error ? error.message : String(error);
    settings.logger.warn(
      `the service was not told that session ${session.id} is over, so it will expire: ${reason}`,
    );
  }
}
