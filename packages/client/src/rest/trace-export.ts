import { ResponseError } from "@tinkex/base";
import type { RestRequest } from "./rest-request.js";

/** Pause between two looks at an export that is being made, in milliseconds. */
const POLL_MS = 5_000;

/**
 * Waits until the service has made the file of a session's traces.
 *
 * @returns a signed URL, good for about an hour
 * @throws ResponseError with the service's words when it could not
 */
export async function exportTrace(request: RestRequest, session: string): Promise<string> {
  for (let hasSaid = false; ; hasSaid = true) {
    const { status, url, error } = await request.ask("get_trace_export", undefined, { path: { session } });
    if (status === "ready" && url !== undefined) return url;
    if (status !== "pending") {
      throw new ResponseError(
        `${request.method}: the service could not export the trace of ${session}: ${error ?? `it says ${status}, and no url`}`,
      );
    }
    if (!hasSaid) {
      request.logger.warn(`${request.method}: the trace of ${session} is being made, which may take a while`);
    }
    await request.clock.sleep(POLL_MS, request.signal);
  }
}
