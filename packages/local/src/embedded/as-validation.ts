import { ValidationError } from "@tinkex/base";
import { OperationFailure } from "../errors/operation-failure.js";

/** Runs a check that the server has too, where there is no server whose operation could fail. @throws ValidationError */
export function asValidation<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof OperationFailure && error.category === "user")
      throw new ValidationError(error.message, { cause: error });
    throw error;
  }
}
