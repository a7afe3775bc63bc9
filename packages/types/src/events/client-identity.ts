/** The service client that a message is of, so that several in one process, each with its own server and key, are told apart. */
export interface ClientIdentity {
  /** A random UUID, the same in all messages of one service client; `ServiceClient.clientId` has it too. */
  readonly clientId: string;
  /** Address of the service, which holds no credentials; `undefined` with a transport of the caller's. */
  readonly baseUrl: string | undefined;
  /** The session that was open when the message was published. */
  readonly sessionId: string | undefined;
}

/** Names of the diagnostics channels: messages go to the plain channel of a name, spans to the tracing channel of the same name. */
export const EVENT_CHANNELS = {
  operation: "tinkex:operation",
  request: "tinkex:request",
  queue: "tinkex:queue",
} as const;

/** The name of a channel without its prefix. */
export type EventChannel = keyof typeof EVENT_CHANNELS;
