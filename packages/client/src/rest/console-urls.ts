import { checkString, ValidationError } from "@tinkex/base";
import { CheckpointPath } from "@tinkex/types";
import { checkId } from "./check-id.js";

const CONSOLE = "https://tinker.thinkingmachines.ai";

/** Pages of the hosted service's console. Nothing is asked or checked: a page is there once its thing is. */
export const consoleUrls = {
  /** All sessions. */
  sessions: (): string => `${CONSOLE}/sessions`,
  /** One session. @throws ValidationError */
  session: (session_id: string): string =>
    `${CONSOLE}/sessions/${escaped(checkId("consoleUrls.session", "session_id", session_id), encodeURI)}`,
  /** One training run, e.g. `training.modelId`. @throws ValidationError */
  trainingRun: (training_run_id: string): string =>
    `${CONSOLE}/training_runs/${escaped(checkId("consoleUrls.trainingRun", "training_run_id", training_run_id), encodeURI)}`,
  /** One checkpoint. @throws ValidationError for what is no `tinker://` path */
  checkpoint: (tinker_path: string): string => {
    checkString(tinker_path, "consoleUrls.checkpoint: tinker_path");
    const { training_run_id, checkpoint_id } = CheckpointPath.parse(tinker_path);
    return `${CONSOLE}/checkpoints/${escaped(training_run_id)}/${escaped(checkpoint_id)}`;
  },
  /** The playground with a checkpoint to talk to. @throws ValidationError for what is no `tinker://` path */
  playground: (tinker_path: string): string => {
    checkString(tinker_path, "consoleUrls.playground: tinker_path");
    const path = escaped(CheckpointPath.parse(tinker_path).tinker_path);
    return `${CONSOLE}/playground?mode=checkpoint&checkpoint=${path}`;
  },
} as const;

/** Escapes a part of an address. @throws ValidationError for half of a surrogate pair, which has no bytes */
function escaped(part: string, encode: (text: string) => string = encodeURIComponent): string {
  try {
    return encode(part);
  } catch (cause) {
    throw new ValidationError(
      "consoleUrls: the id must be a well-formed string, got one with half of a surrogate pair",
      { cause },
    );
  }
}
