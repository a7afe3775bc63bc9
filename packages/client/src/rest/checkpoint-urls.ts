import { ResponseError, ValidationError } from "@tinkex/base";
import { type CheckpointPath, type ExternalWeightsUrlsResponse, Timestamp } from "@tinkex/types";
import { partsOf } from "./checkpoint-parts.js";
import type { RestRequest } from "./rest-request.js";

/** Addresses of the files of an export. */
export interface ExternalWeightsUrls extends ExternalWeightsUrlsResponse {
  /** `expires` as a date. */
  readonly expiresAt: Date;
}

/** Address of a checkpoint's archive, from which a plain GET without a key fetches it. */
export interface ArchiveUrl {
  readonly url: string;
  readonly expiresAt: Date;
}

/** @throws ValidationError for a checkpoint that is no export */
export function checkExternal(method: string, path: CheckpointPath): void {
  if (path.checkpoint_type === "external") return;
  throw new ValidationError(
    `${method}: ${path.tinker_path} is a ${path.checkpoint_type} checkpoint; pass an export, tinker://<run>/external_weights/<name>, as saveWeightsExternal gives it`,
    { path: ["tinker_path"] },
  );
}

/** Reads the addresses of an export's files. */
export async function readExternalUrls(
  request: RestRequest,
  path: CheckpointPath,
): Promise<ExternalWeightsUrls> {
  const { run, name } = partsOf(path);
  const answer = await request.ask("get_external_weights_urls", undefined, { path: { run, name } });
  return { ...answer, expiresAt: Timestamp.toDate(answer.expires) };
}

/** Life of an archive's address that does not say how long it lives, in milliseconds. */
const DEFAULT_LIFE_MS = 15 * 60_000;

/**
 * Reads the address of a checkpoint's archive: the service redirects to it, or answers it. Waits while it is being made (503).
 *
 * @throws UnsupportedByServerError for a service that has no archives any more
 */
export async function readArchiveUrl(request: RestRequest, path: CheckpointPath): Promise<ArchiveUrl> {
  const response = await request.send("get_checkpoint_archive", {
    path: partsOf(path),
    returnStatuses: REDIRECTS,
  });
  if (!REDIRECTS.includes(response.status)) {
    const { url, expires } = request.decode("get_checkpoint_archive", response.body);
    return { url, expiresAt: Timestamp.toDate(expires) };
  }
  const { location: url = "" } = response.headers;
  if (!URL.canParse(url)) {
    const fault = url === "" ? "and does not say where" : "but the place is no URL";
    throw new ResponseError(
      `${request.method}: the answer redirects to the archive of ${path.tinker_path}, ${fault}`,
    );
  }
  const expiresAtMs = Date.parse(response.headers.expires ?? "");
  return {
    url,
    expiresAt: new Date(Number.isNaN(expiresAtMs) ? request.clock.now() + DEFAULT_LIFE_MS : expiresAtMs),
  };
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
