import type { Records } from "@tinkex/types";
import type { FutureResultName } from "@tinkex/wire";

/** What an operation gives: a record, and its name, which decides how it is encoded. */
export type OperationResult = {
  [Name in FutureResultName]: { readonly name: Name; readonly result: Records[Name] };
}[FutureResultName];
