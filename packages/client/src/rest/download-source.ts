import { UnsupportedByServerError } from "@tinkex/base";
import type { CheckpointPath } from "@tinkex/types";
import { ARCHIVE, type DownloadSource, type SignedUrls } from "../downloads/download-work.js";
import { readArchiveUrl, readExternalUrls } from "./checkpoint-urls.js";
import type { RestRequest } from "./rest-request.js";

/**
 * Finds how the service gives a checkpoint away: an export as files, where it makes exports, and anything else as an archive.
 *
 * @throws UnsupportedByServerError for a service that has neither for this checkpoint
 */
export async function openSource(request: RestRequest, path: CheckpointPath): Promise<DownloadSource> {
  if (path.checkpoint_type === "external") {
    const sign = (): Promise<SignedUrls> => readExternalUrls(request, path);
    try {
      return { kind: "files", signed: await sign(), sign };
    } catch (error) {
      if (!(error instanceof UnsupportedByServerError)) throw error;
    }
  }
  const sign = async (): Promise<SignedUrls> => {
    const { url, expiresAt } = await readArchiveUrl(request, path);
    return { urls: { [ARCHIVE]: url }, expiresAt };
  };
  try {
    return { kind: "archive", signed: await sign(), sign };
  } catch (error) {
    if (!(error instanceof UnsupportedByServerError) || path.checkpoint_type === "external") throw error;
    throw request.unsupported(
      "get_checkpoint_archive",
      error,
      "; save an export with saveWeightsExternal, and download its path",
    );
  }
}
