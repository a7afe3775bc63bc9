import { checkString, errorMessage, ValidationError } from "@tinkex/base";
import { CheckpointPath } from "@tinkex/types";
import type { ApiFuture } from "../future/api-future.js";
import type { CallOptions } from "../inputs/call-options.js";
import type { RestContext } from "./rest-context.js";
import { type RestRequest, startRest } from "./rest-request.js";

/** A path as a caller gave it: read, or the id of a training run alone, of which the server knows the checkpoints. */
export type GivenPath =
  | { readonly path: CheckpointPath }
  | { readonly run: string; readonly given: string; readonly fault: unknown };

const SCHEME = "tinker://";

/**
 * Reads the path of a checkpoint. A bare run id is refused later, with the paths that it could be.
 *
 * @throws ValidationError that names the method, and the path that was probably meant
 */
export function readPath(method: string, tinkerPath: string): GivenPath {
  checkString(tinkerPath, `${method}: tinker_path`, "tinker://<run>/weights/<name>");
  try {
    return { path: CheckpointPath.parse(tinkerPath) };
  } catch (fault) {
    const run = tinkerPath.startsWith(SCHEME) ? tinkerPath.slice(SCHEME.length) : tinkerPath;
    if (run !== "" && !run.includes("/")) return { run, given: tinkerPath, fault };
    throw refusal(method, fault, isPath(`${SCHEME}${tinkerPath}`) ? [`${SCHEME}${tinkerPath}`] : []);
  }
}

/** The work of a method on one checkpoint. */
export type PathWork<T> = (request: RestRequest, path: CheckpointPath) => Promise<T>;

/** Runs a method on one checkpoint behind a future. A bare run id fails it with ValidationError. */
export function startOnPath<T>(
  context: RestContext,
  method: string,
  given: GivenPath,
  options: CallOptions,
  work: PathWork<T>,
): ApiFuture<T> {
  return startRest(context, method, options, async (request) => work(request, await pathOf(request, given)));
}

/** Gives a path that was read. @throws ValidationError for a bare run id, with the paths of its checkpoints */
async function pathOf(request: RestRequest, given: GivenPath): Promise<CheckpointPath> {
  if ("path" in given) return given.path;
  const { run } = given;
  throw refusal(request.method, given.fault, await pathsOfRun(request, run));
}

const MAX_SHOWN_PATHS = 5;

/** The paths of a run's checkpoints; the form of one where the server does not know the run. */
async function pathsOfRun(request: RestRequest, run: string): Promise<readonly string[]> {
  try {
    const { checkpoints } = await request.ask("list_run_checkpoints", undefined, { path: { run } });
    const paths = checkpoints.map(({ tinker_path }) => tinker_path);
    if (paths.length > 0) return paths.slice(0, MAX_SHOWN_PATHS);
  } catch {
    // The path is wrong whatever the server says of the run.
    request.signal.throwIfAborted();
  }
  return [`${SCHEME}${run}/weights/<name>`];
}

function refusal(method: string, fault: unknown, meant: readonly string[]): ValidationError {
  const advice = meant.length === 0 ? "" : `; did you mean ${meant.join(" or ")}?`;
  return new ValidationError(`${method}: ${errorMessage(fault)}${advice}`, {
    path: ["tinker_path"],
    cause: fault,
  });
}

function isPath(text: string): boolean {
  try {
    CheckpointPath.parse(text);
    return true;
  } catch {
    return false;
  }
}
