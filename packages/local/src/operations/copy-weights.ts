import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { checkpointUri } from "../disk/checkpoint-record.js";
import { type OpenCheckpoint, openCheckpoint } from "../disk/open-checkpoint.js";
import { RequestRefusal } from "../errors/request-refusal.js";
import { makePrivateDirectory } from "../files/make-private-directory.js";
import { piecesOf } from "../files/open-file.js";
import { writePrivateFile } from "../files/write-private-file.js";
import type { ServerState } from "../registries/server-state.js";
import type { CopyWeightsBody } from "../requests/model-bodies.js";
import { checkProjectId } from "./assign-project.js";

/**
 * `copy_weights`: the checkpoint once more, in a run of its own that belongs to the project and that no session trains. It stays when
 * the original goes.
 *
 * @returns the path of the copy
 * @throws RequestRefusal 400 without a project, 404
 */
export async function copyWeights(state: ServerState, body: CopyWeightsBody): Promise<string> {
  const { source_path, destination_project_id: project, ttl_seconds: ttlSeconds } = body;
  if (project === undefined) {
    throw new RequestRefusal(
      400,
      "copy_weights must have a destination_project_id; to train on a checkpoint, make a model of it with load_weights",
    );
  }
  checkProjectId(project);
  const source = await openCheckpoint(state.checkpoints, source_path);
  try {
    return await copyTo(state, source, { project, ttlSeconds });
  } finally {
    await source.close();
  }
}

async function copyTo(
  state: ServerState,
  source: OpenCheckpoint,
  { project, ttlSeconds }: { readonly project: string; readonly ttlSeconds: number | undefined },
): Promise<string> {
  const { kind, name, base_model, shape, has_optimizer, user_metadata } = source.record;
  const metadata = user_metadata === undefined ? {} : { user_metadata };
  const run = { training_run_id: randomUUID(), base_model, shape, ...metadata };
  await state.runs.save({
    ...run,
    project_id: project,
    created_at: new Date(state.clock.now()).toISOString(),
  });
  try {
    const copy = { ...run, kind, name, has_optimizer, ttlSeconds, mayOverwrite: false };
    return checkpointUri(await state.checkpoints.save(copy, (directory) => copyFiles(source, directory)));
  } catch (error) {
    await state.runs.remove(run.training_run_id);
    throw error;
  }
}

/** Writes the files into a new directory, and sees to it that they are on the disk. Returns how many bytes they have. */
async function copyFiles({ files }: OpenCheckpoint, directory: string): Promise<number> {
  await makePrivateDirectory(dirname(directory), directory);
  let bytes = 0;
  for (const file of files) {
    // An adapter's file is in memory as a whole also when it is saved.
    await writePrivateFile(join(directory, file.name), await buffer(piecesOf(file)));
    bytes += file.size;
  }
  return bytes;
}
