import type { Clock } from "@tinkex/base";
import type { ProxySettings } from "@tinkex/http";
import type { CheckpointProgress, DownloadLimits } from "./download-options.js";

/** A download as it was asked for. */
export interface DownloadWork {
  /** The method as its caller spells it, for messages. */
  readonly method: string;
  readonly tinkerPath: string;
  /** Absolute path. */
  readonly directory: string;
  readonly limits: DownloadLimits;
  /** Waits for the disk, file by file. */
  readonly isFlushed: boolean;
  readonly onProgress: ((progress: CheckpointProgress) => void) | undefined;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly proxy: ProxySettings;
}

/** Signed addresses of files, by name. */
export interface SignedUrls {
  readonly urls: Readonly<Record<string, string>>;
  readonly expiresAt: Date;
}

/** A place that serves a checkpoint: as files, or as an archive, whose one address stands under {@link ARCHIVE}. */
export interface DownloadSource {
  readonly kind: "files" | "archive";
  readonly signed: SignedUrls;
  /** Asks for fresh addresses. */
  sign(): Promise<SignedUrls>;
}

/** Name of an archive among addresses, and in progress. */
export const ARCHIVE = "archive.tar";
