/** A request that got no answer, or an answer that broke off: what may be tried again. Never leaves the hub's client. */
export class NetworkFailure extends Error {
  constructor(cause: unknown) {
    super("The network failed.", { cause });
    this.name = "NetworkFailure";
  }
}
