import type { Logger } from "@tinkex/base";
import type { CreateSessionRequest, CreateSessionResponse } from "@tinkex/types";
import { ApiCalls } from "./api-calls.js";
import { givenId } from "./given-id.js";
import { beat } from "./heartbeat.js";
import { refreshDynamicConfig, type ServerProfile } from "./server-profile.js";
import { Session, type SessionEnvironment } from "./session.js";

/** Opens a session and keeps it alive in the background until the service client closes. */
export async function openSession(
  environment: SessionEnvironment,
  server: ServerProfile,
  request: CreateSessionRequest,
): Promise<Session> {
  const { transport, sdkVersion, logger, lifecycle, events, onRepeat } = environment;
  const signal = lifecycle.closing;
  const generation = server.generation.fields;
  const calls = new ApiCalls({ transport, sdkVersion, generation, events, onRepeat });
  const created = await calls.call("create_session", request, { signal });
  logMessages(created, logger);
  const id = givenId("session_id", created.session_id);
  events.openedSession(id);
  return adoptSession(environment, server, id);
}

/** Keeps a session alive that is open already, here or in another process, until the service client closes. */
export function adoptSession(
  environment: SessionEnvironment,
  server: ServerProfile,
  sessionId: string,
): Session {
  const { clock, logger, lifecycle } = environment;
  const signal = lifecycle.closing;
  const session = new Session(sessionId, server, environment);
  // Neither ever rejects: what fails in the background is logged there.
  void beat({
    sessionId: session.id,
    calls: session.unpaused,
    clock,
    logger,
    signal,
    onLost: (cause) => session.lose(cause),
  });
  if (server.generation.hasDynamicConfig) void refreshDynamicConfig(environment, server);
  return session;
}

function logMessages(created: CreateSessionResponse, logger: Logger): void {
  if (created.info_message) logger.info(created.info_message);
  if (created.warning_message) logger.warn(created.warning_message);
  if (created.error_message) logger.error(created.error_message);
}
