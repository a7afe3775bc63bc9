import type { ClientLifecycle } from "../future/client-lifecycle.js";
import type { RestContext } from "../rest/rest-context.js";
import { ApiCalls } from "../session/api-calls.js";
import type { ServiceCore } from "./service-core.js";
import type { ClientSettings } from "./settings.js";

/** Makes the context of REST calls over the parts of a service client. */
export function restContextOf(
  core: ServiceCore,
  settings: ClientSettings,
  lifecycle: ClientLifecycle,
): RestContext {
  const { clock, logger, projectId, transport, sdkVersion, proxy } = settings;
  return {
    lifecycle,
    clock,
    logger,
    projectId,
    proxy,
    checkpointLives: core.checkpointLives,
    async server() {
      const generation = (await core.server()).generation.fields;
      const { transport, events, onRepeat } = core;
      return { calls: new ApiCalls({ transport, sdkVersion, generation, events, onRepeat }), generation };
    },
    async identityToken() {
      // A transport of the caller's may not know.
      if (!("identityToken" in transport) || typeof transport.identityToken !== "function") return undefined;
      const token: unknown = await transport.identityToken();
      return typeof token === "string" ? token : undefined;
    },
  };
}
