import { access, constants, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { ValidationError } from "@tinkex/base";
import { DataLayout } from "../state/data-layout.js";
import { hasCheckpoints } from "../state/has-checkpoints.js";

export interface DataDirectory {
  readonly path: string;
  /** Removes a directory that was made for this server alone, if no checkpoint was saved in it. */
  discardIfUnused(): Promise<void>;
}

/**
 * The directory a server keeps its runs in: the one it is given, or a new temporary one.
 *
 * @throws ValidationError when it cannot be made, or not written to
 */
export async function openDataDirectory(given: string | undefined): Promise<DataDirectory> {
  if (given === undefined) {
    const path = await mkdtemp(join(tmpdir(), "tinkex-"));
    return {
      path,
      discardIfUnused: async () => {
        if (!(await hasCheckpoints(new DataLayout(path)))) await rm(path, { recursive: true, force: true });
      },
    };
  }
  const path = resolve(given);
  try {
    const { runs } = new DataLayout(path);
    await mkdir(runs, { recursive: true });
    await access(runs, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ValidationError(
      `dataDirectory "${given}" cannot be used (${reason}); name a folder you may write to.`,
      {
        path: ["dataDirectory"],
        cause,
      },
    );
  }
  return { path, discardIfUnused: async () => {} };
}
