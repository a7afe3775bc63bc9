import { Worker } from "node:worker_threads";

/** A request that is sent while the thread waits. */
export interface PostNow {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly limitMs: number;
}

const SENT = 1;
const REFUSED = 2;

/** Program of the thread that sends. It has no part of the process's environment. */
const SENDER = `
  const { url, headers, body, flag } = require("node:worker_threads").workerData;
  const tell = (outcome) => {
    Atomics.store(flag, 0, outcome);
    Atomics.notify(flag, 0);
  };
  const { request } = require(url.startsWith("https:") ? "node:https" : "node:http");
  const sent = request(url, { method: "POST", headers }, (answer) => {
    answer.resume();
    tell(answer.statusCode < 300 ? ${SENT} : ${REFUSED});
  });
  sent.on("error", () => tell(${REFUSED}));
  sent.end(body);
`;

/** Posts a body from another thread while this one waits: for a process that dies of an error, where no promise settles any more. */
export function postNow({ url, headers, body, limitMs }: PostNow): boolean {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(SENDER, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { url, headers: { ...headers, "content-length": body.byteLength }, body, flag },
  });
  worker.on("error", () => {});
  worker.unref();
  Atomics.wait(flag, 0, 0, limitMs);
  void worker.terminate();
  return Atomics.load(flag, 0) === SENT;
}
