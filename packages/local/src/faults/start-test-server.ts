import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkArray, checkFunction, checkKnownNames } from "@tinkex/base";
import type { EndpointName } from "@tinkex/types";
import type { LocalServerOptions } from "../server/local-server-options.js";
import { type LocalServer, OPTION_NAMES, startExtended } from "../server/start-local-server.js";
import { addFaults } from "./add-faults.js";
import { checkFault } from "./check-fault.js";
import type { Fault } from "./fault.js";
import { FaultBook } from "./fault-book.js";
import { type LoggedRequest, RequestLog } from "./logged-request.js";

export interface TestServerOptions extends LocalServerOptions {
  /** Faults that requests meet; further ones by {@link TestServer.addFault}. @defaultValue none */
  readonly faults?: readonly Fault[] | undefined;
  /**
   * Is given the function that closes the server, to have it called when the test ends: `onTestFinished` of vitest, or
   * `(close) => t.after(close)` of `node:test`.
   * @defaultValue you close it, or `await using` does
   */
  readonly onFinished?: ((close: () => Promise<void>) => void) | undefined;
}

const TEST_SERVER_OPTIONS: Readonly<Record<keyof TestServerOptions, true>> = {
  ...OPTION_NAMES,
  faults: true,
  onFinished: true,
};

/** A local server for tests of programs that use it. */
export interface TestServer extends LocalServer {
  /** Requests so far, in the order of their arrival; the last 10,000. */
  readonly requests: readonly LoggedRequest[];
  /** Those to one endpoint. */
  requestsTo(endpoint: EndpointName): readonly LoggedRequest[];
  /** Adds a fault, which counts requests from now on. @throws ValidationError */
  addFault(fault: Fault): void;
}

/**
 * Starts a server that really trains, and meets requests with the faults of a service: refusals, delays, lost answers, pauses. It
 * logs the requests, and keeps its data in a directory of its own, which goes when it is closed.
 *
 * @throws ValidationError for a fault or an option that cannot be used
 * @example
 * const server = await startTestServer({
 *   onFinished: onTestFinished,
 *   faults: [{ endpoint: "optim_step", nth: 3, disconnect: "after" }],
 * });
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  checkKnownNames(options, TEST_SERVER_OPTIONS, "the options of startTestServer");
  const { faults = [], onFinished, dataDirectory, ...others } = options;
  checkArray(faults, "faults");
  if (onFinished !== undefined) checkFunction(onFinished, "onFinished");
  for (const [index, fault] of faults.entries()) checkFault(fault, `faults[${index}]`);
  const book = new FaultBook();
  const log = new RequestLog();
  for (const fault of faults) book.add(fault);
  const ownDirectory =
    dataDirectory === undefined ? await mkdtemp(join(tmpdir(), "tinkex-test-")) : undefined;
  const removeOwn = async () => {
    if (ownDirectory !== undefined) await rm(ownDirectory, { recursive: true, force: true });
  };
  const server = await startExtended(
    { ...others, dataDirectory: dataDirectory ?? ownDirectory },
    (app, state) => addFaults(app, { state, faults: book, log }),
  ).catch(async (error: unknown) => {
    await removeOwn();
    throw error;
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close().finally(removeOwn);
    return closed;
  };
  try {
    onFinished?.(close);
  } catch (error) {
    // Outside of a test, for one: nobody would have the server to close it.
    await close();
    throw error;
  }
  return {
    ...server,
    get requests() {
      return log.requests;
    },
    requestsTo: (endpoint) => log.requests.filter((request) => request.endpoint === endpoint),
    addFault(fault) {
      checkFault(fault, "fault");
      book.add(fault);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
