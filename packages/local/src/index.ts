export type { LocalServerOptions, ServedModel } from "./server/local-server-options.js";
export { type LocalServer, startLocalServer } from "./server/start-local-server.js";
