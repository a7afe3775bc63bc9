import { checkString, ValidationError } from "@tinkex/base";

/**
 * Checks an id that goes into a path.
 *
 * @param name - the argument as its caller spells it, e.g. `training_run_id`
 * @throws ValidationError for one that is empty, or a `tinker://` path
 */
export function checkId(method: string, name: string, id: unknown): string {
  checkString(id, `${method}: ${name}`);
  if (id === "") throw refusal(method, name, "must not be empty");
  if (id.startsWith("tinker://")) {
    throw refusal(
      method,
      name,
      `must be an id, got the path ${JSON.stringify(id)}; its id is the part behind tinker://`,
    );
  }
  return id;
}

function refusal(method: string, name: string, fault: string): ValidationError {
  return new ValidationError(`${method}: ${name} ${fault}`, { path: [name] });
}
