/** One fault of a body, in the form FastAPI servers of this API use. */
export interface RefusalIssue {
  readonly type: string;
  /** Place of the fault, e.g. `["body", "sampling_params", "max_tokens"]`. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/**
 * A request that is not taken at all: its sender is told by HTTP status and `{"detail": …}`. What is wrong with an
 * operation that was taken is an `OperationFailure` instead, since by then it holds a place in the order of its model.
 */
export class RequestRefusal extends Error {
  readonly status: number;
  readonly detail: string | readonly RefusalIssue[];
  /** Headers of the answer, which tell a program what the text tells its user. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    detail: string | readonly RefusalIssue[],
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(
      typeof detail === "string"
        ? detail
        : detail.map(({ loc, msg }) => `${loc.join(".")}: ${msg}`).join("; "),
    );
    this.name = "RequestRefusal";
    this.status = status;
    this.detail = detail;
    this.headers = headers;
  }
}
