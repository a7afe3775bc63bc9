import { ProgressListener, ResponseError } from "@tinkex/base";
import type { CheckpointProgress, DownloadedCheckpoint, DownloadedFile } from "./download-options.js";
import { ARCHIVE, type DownloadSource, type DownloadWork } from "./download-work.js";
import { extractArchive } from "./extract-archive.js";
import { fetchFiles, safeNames } from "./fetch-files.js";
import { downloaded, readFinished, writeFinished } from "./finished-directory.js";
import { placeRefusal } from "./place-refusal.js";
import { Staging } from "./staging.js";
import { maxArchiveBytes } from "./unpacked.js";

/**
 * Puts a checkpoint in a directory, which appears in one step when all of it is there. What a call that was ended has fetched, the
 * next one does not fetch again.
 *
 * @param openSource - asks the service for the addresses; not called when the directory holds the checkpoint already
 * @throws ValidationError for a directory that cannot be written
 */
export async function downloadCheckpoint(
  work: DownloadWork,
  openSource: () => Promise<DownloadSource>,
): Promise<DownloadedCheckpoint> {
  const progress = new ProgressListener(work.onProgress);
  try {
    return await download(work, openSource, progress);
  } catch (error) {
    // The caller's own functions may fail at files of their own.
    const isOfCaller = [progress.signal, work.signal].some(
      ({ aborted, reason }) => aborted && reason === error,
    );
    throw isOfCaller ? error : placeRefusal(work.method, work.directory, error);
  }
}

async function download(
  work: DownloadWork,
  openSource: () => Promise<DownloadSource>,
  progress: ProgressListener<CheckpointProgress>,
): Promise<DownloadedCheckpoint> {
  const { method, tinkerPath, directory } = work;
  const done = await readFinished(method, directory, tinkerPath);
  if (done !== undefined) {
    // A process that was killed at its end left a folder that nobody else would ask for.
    await Staging.removeAbandoned(directory);
    return done;
  }
  const source = await openSource();
  // Nothing is made on the disk for names that are refused.
  const names = safeNames(source.signed.urls, work.limits);
  const staging = await Staging.open(directory, JSON.stringify([tinkerPath, source.kind, names]));
  try {
    const files =
      source.kind === "files"
        ? await fetchFiles(work, source, names, {
            folder: staging.files,
            staging,
            progress,
            maxBytes: work.limits.maxBytes,
          })
        : await fetchArchive(work, source, staging, progress);
    await writeFinished(staging.files, tinkerPath, files);
    work.signal.throwIfAborted();
    progress.signal.throwIfAborted();
    return await putInPlace(work, files, staging);
  } finally {
    staging.release();
  }
}

async function fetchArchive(
  work: DownloadWork,
  source: DownloadSource,
  staging: Staging,
  progress: ProgressListener<CheckpointProgress>,
): Promise<DownloadedFile[]> {
  const maxBytes = maxArchiveBytes(work.limits);
  await fetchFiles(work, source, [ARCHIVE], { folder: staging.path("."), staging, progress, maxBytes });
  await staging.clearFiles();
  try {
    return await extractArchive(staging.path(ARCHIVE), staging.files, work);
  } catch (error) {
    // Another try would unpack the same bytes.
    if (error instanceof ResponseError) await staging.discard();
    throw error;
  }
}

/** Two calls for one directory may be done at the same time; the checkpoint is the same. */
async function putInPlace(
  { method, tinkerPath, directory }: DownloadWork,
  files: readonly DownloadedFile[],
  staging: Staging,
): Promise<DownloadedCheckpoint> {
  try {
    await staging.finish(directory);
  } catch (error) {
    const done = await readFinished(method, directory, tinkerPath);
    if (done === undefined) throw error;
    await staging.discard();
    return done;
  }
  return downloaded(directory, tinkerPath, files);
}
