import { RestCalls } from "../rest/rest-calls.js";
import { Connection, type ConnectionOptions } from "./shared-connection.js";

/**
 * The calls of `service.rest` without a service client. All such clients in a process that come to the same server and
 * credentials share their connections, and one look at the server's configuration; the last one to close lets them go.
 *
 * @example
 * await using rest = new RestClient();
 * for await (const { tinker_path, expiresAt } of rest.userCheckpoints()) console.log(tinker_path, expiresAt);
 */
export class RestClient extends RestCalls {
  readonly #connection: Connection;

  /** @throws ValidationError for options that cannot work */
  constructor(options: ConnectionOptions = {}) {
    const connection = new Connection(options, "RestClient", "the REST client");
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
