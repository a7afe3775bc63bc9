import { ValidationError } from "@tinkex/base";
import { CheckpointPath } from "@tinkex/types";

/**
 * Checks that a path can be trained from. Paths that servers spell in their own way are theirs to judge.
 *
 * @throws ValidationError for something that is no `tinker://` path, or names weights of another kind
 */
export function checkTrainingPath(path: string): void {
  checkScheme(path);
  const kind = kindOf(path);
  if (kind === undefined || kind === "training") return;
  throw new ValidationError(
    `${path} is a ${kind} checkpoint and cannot be trained from: pass a path of the form tinker://<run>/weights/<name>`,
    { path: ["path"] },
  );
}

/** @throws ValidationError for something that is no `tinker://` path, or cannot be sampled from */
export function checkSamplerPath(path: string): void {
  checkScheme(path);
  if (kindOf(path) !== "external") return;
  throw new ValidationError(`${path} is an external checkpoint and cannot be sampled from`, {
    path: ["model_path"],
  });
}

function checkScheme(path: string): void {
  if (typeof path === "string" && path.startsWith("tinker://")) return;
  throw new ValidationError(`a checkpoint's path must start with tinker://, got ${JSON.stringify(path)}`, {
    path: ["path"],
  });
}

function kindOf(path: string): CheckpointPath["checkpoint_type"] | undefined {
  try {
    return CheckpointPath.parse(path).checkpoint_type;
  } catch {
    return undefined;
  }
}
