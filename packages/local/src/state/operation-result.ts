import type { FutureResultName, ResponseOf } from "@tinkex/wire";

/** What an operation gives: a record, and its name, which decides how it is encoded. */
export type OperationResult = {
  [Name in FutureResultName]: { readonly name: Name; readonly result: ResponseOf<Name> };
}[FutureResultName];
