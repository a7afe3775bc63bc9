/**
 * Type of every `…Schema` of this package: a Standard Schema. It works wherever one does (form, router and tRPC libraries), and
 * with `checkSent`, `checkReceived` and `toJsonSchema`. What it is made with is not part of its type.
 */
export interface RecordSchema<Value> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => CheckOutcome<Value> | Promise<CheckOutcome<Value>>;
    readonly types?: { readonly input: Value; readonly output: Value } | undefined;
  };
}

/** Answer of a schema: the value, or what is wrong with it. */
export type CheckOutcome<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | { readonly issues: readonly CheckIssue[] };

/** One thing that is wrong with a value, and where. */
export interface CheckIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}
