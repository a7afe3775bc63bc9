export type {
  Delay,
  Disconnect,
  EndpointFault,
  Failure,
  Fault,
  FutureFault,
  QueueNotice,
  Refusal,
  ResultExpiry,
  SessionLoss,
} from "./faults/fault.js";
export type { LoggedRequest } from "./faults/logged-request.js";
export { startTestServer, type TestServer, type TestServerOptions } from "./faults/start-test-server.js";
