import { checkFunction, checkString, describeValue, ValidationError } from "@tinkex/base";
import { CALL_OPTIONS, type CallOptions } from "../inputs/call-options.js";

/** Options of downloading a checkpoint. Aborting keeps what has come: the same call goes on with it later. */
export interface DownloadCheckpointOptions extends CallOptions {
  /** Hears how far the download is, after each piece. What it throws, at once or later, ends the download. */
  readonly onProgress?: ((progress: CheckpointProgress) => void) | undefined;
  /** Most bytes of all files together, unpacked; headers of an archive are not counted. @defaultValue 64 GiB */
  readonly maxBytes?: number | undefined;
  /** Most files and folders. @defaultValue 10000 */
  readonly maxFiles?: number | undefined;
  /** Most times that an archive may grow when it is unpacked; the first MiB is not counted. @defaultValue 100 */
  readonly maxRatio?: number | undefined;
  /**
   * Waits until the disk has the files, so that a power loss leaves no directory that only looks whole. Without, a large checkpoint may
   * come up to twice as fast. @defaultValue true
   */
  readonly flush?: boolean | undefined;
}

/** Progress of a download: of the file that is coming, and which one of how many that is. An archive is one file. */
export interface CheckpointProgress {
  readonly file: string;
  /** Counted from 0. */
  readonly fileIndex: number;
  readonly fileCount: number;
  readonly receivedBytes: number;
  /** Absent when the store does not tell. */
  readonly totalBytes: number | undefined;
}

/** A checkpoint on the disk. */
export interface DownloadedCheckpoint {
  readonly tinker_path: string;
  /** Absolute path of the directory. */
  readonly directory: string;
  /** Names below the directory, with `/`, in order, and their lengths. */
  readonly files: readonly DownloadedFile[];
  /** True for a directory with `adapter_config.json` and the adapter's weights, which `peft` loads. */
  readonly isPeftAdapter: boolean;
}

/** A file of a downloaded checkpoint. */
export interface DownloadedFile {
  readonly name: string;
  readonly byteLength: number;
}

/** Limits of what is written, in whole numbers above 0. */
export interface DownloadLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
  readonly maxRatio: number;
}

const DEFAULT_LIMITS: DownloadLimits = { maxBytes: 64 * 1024 ** 3, maxFiles: 10_000, maxRatio: 100 };

export const DOWNLOAD_OPTIONS = {
  ...CALL_OPTIONS,
  onProgress: true,
  maxBytes: true,
  maxFiles: true,
  maxRatio: true,
  flush: true,
} as const satisfies Readonly<Record<keyof DownloadCheckpointOptions, true>>;

/**
 * Checks what `downloadCheckpoint` was given beside the path.
 *
 * @throws ValidationError
 */
export function checkDownload(
  method: string,
  directory: string,
  options: DownloadCheckpointOptions,
): DownloadLimits {
  checkString(directory, `${method}: directory`, "adapters/first");
  if (directory === "" || directory.includes("\0")) {
    throw new ValidationError(`${method}: directory must be a path, got ${describeValue(directory)}`, {
      path: ["directory"],
    });
  }
  if (options.onProgress !== undefined) checkFunction(options.onProgress, `${method}: onProgress`);
  if (options.flush !== undefined && typeof options.flush !== "boolean") {
    throw new ValidationError(`${method}: flush must be true or false, got ${describeValue(options.flush)}`, {
      path: ["flush"],
    });
  }
  const limit = (name: keyof DownloadLimits): number => {
    const value: unknown = options[name] ?? DEFAULT_LIMITS[name];
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
    throw new ValidationError(`${method}: ${name} must be an integer above 0, got ${describeValue(value)}`, {
      path: [name],
    });
  };
  return { maxBytes: limit("maxBytes"), maxFiles: limit("maxFiles"), maxRatio: limit("maxRatio") };
}
