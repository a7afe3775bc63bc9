import { describeKind, ValidationError } from "@tinkex/base";
import { CheckpointPath } from "@tinkex/types";

/**
 * Checks that a path can be trained from. Paths that servers spell in their own way are theirs to judge.
 *
 * @throws ValidationError for something that is no `tinker://` path, or names weights of another kind
 */
export function checkTrainingPath(method: string, path: string): void {
  checkScheme(method, path);
  const kind = kindOf(path);
  if (kind === undefined || kind === "training") return;
  throw new ValidationError(
    `${method}: ${path} is a ${kind} checkpoint and cannot be trained from: pass a path of the form tinker://<run>/weights/<name>`,
    { path: ["path"] },
  );
}

/** @throws ValidationError for something that is no `tinker://` path, or cannot be sampled from */
export function checkSamplerPath(method: string, path: string): void {
  checkScheme(method, path);
  if (kindOf(path) !== "external") return;
  throw new ValidationError(`${method}: ${path} is an external checkpoint and cannot be sampled from`, {
    path: ["model_path"],
  });
}

function checkScheme(method: string, path: string): void {
  if (typeof path === "string" && path.startsWith("tinker://")) return;
  const got = typeof path === "string" ? JSON.stringify(path) : describeKind(path);
  const remedy = holdsPath(path) ? "; pass its path" : "";
  throw new ValidationError(`${method}: a checkpoint's path must start with tinker://, got ${got}${remedy}`, {
    path: ["path"],
  });
}

/** Tells whether a value is the result of a save, which has the path that was meant. */
function holdsPath(value: unknown): boolean {
  return typeof value === "object" && value !== null && "path" in value && typeof value.path === "string";
}

function kindOf(path: string): CheckpointPath["checkpoint_type"] | undefined {
  try {
    return CheckpointPath.parse(path).checkpoint_type;
  } catch {
    return undefined;
  }
}
