import type { Logger } from "@tinkex/base";
import type { CreateSessionResponse } from "@tinkex/types";
import { decodeJsonResponse, encodeJsonRequest } from "@tinkex/wire";
import type { ServiceCore } from "../service/service-core.js";
import { beat } from "./heartbeat.js";
import { refreshDynamicConfig, type ServerProfile } from "./server-profile.js";
import { Session } from "./session.js";

/** Opens a session and keeps it alive in the background until the service client closes. */
export async function openSession(core: ServiceCore, server: ServerProfile): Promise<Session> {
  const { tags, userMetadata, sdkVersion, projectId, displayName, clock, logger } = core.settings;
  const generation = server.generation.fields;
  const { body } = encodeJsonRequest(
    "CreateSessionRequest",
    {
      tags,
      user_metadata: userMetadata,
      sdk_version: sdkVersion,
      project_id: projectId,
      display_name: displayName,
    },
    { generation },
  );
  const response = await core.transport.call({ operation: "create_session", body, signal: core.closing });
  const created = decodeJsonResponse("CreateSessionResponse", response.body);
  logMessages(created, logger);
  // Neither ever rejects: what fails in the background is logged there.
  void beat({
    sessionId: created.session_id,
    transport: core.unpausedTransport,
    clock,
    logger,
    encodeBeat: (sessionId) =>
      encodeJsonRequest("SessionHeartbeatRequest", { session_id: sessionId }, { generation }).body,
    signal: core.closing,
  });
  if (server.generation.fields !== "0.4") void refreshDynamicConfig(core, server);
  return new Session(created.session_id, core, server);
}

function logMessages(created: CreateSessionResponse, logger: Logger): void {
  if (created.info_message) logger.info(created.info_message);
  if (created.warning_message) logger.warn(created.warning_message);
  if (created.error_message) logger.error(created.error_message);
}
