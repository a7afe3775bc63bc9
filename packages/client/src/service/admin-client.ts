import { AdminCalls } from "../admin/admin-calls.js";
import { Connection, type ConnectionOptions } from "./shared-connection.js";

/** The calls of `service.admin` without a service client. Connections are shared as those of a `RestClient` are, and with them. */
export class AdminClient extends AdminCalls {
  readonly #connection: Connection;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ConnectionOptions = {}) {
    const connection = new Connection(options, "AdminClient", "the admin client");
    super(connection.context);
    this.#connection = connection;
  }

  /** Ends the calls that are under way with `ClosedError`. Further calls do nothing. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  /** As `close()`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
