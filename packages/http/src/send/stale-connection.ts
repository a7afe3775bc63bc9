import type { Socket } from "node:net";

/** Bytes a socket had brought since it stood, when it broke, by the error it broke with. */
const bytesReadAtError = new WeakMap<object, number>();

/** Remembers, for an error to come, whether the connection had already been of use. */
export function watchForStaleness(socket: Socket): void {
  // Without the bytes of a proxy's answer.
  const before = socket.bytesRead;
  socket.on("error", (error) => bytesReadAtError.set(error, socket.bytesRead - before));
}

/**
 * Tells whether a request failed because its kept connection was already closed on the other side, which shows only once
 * something is sent. A new connection that breaks is another matter: there the server may be the reason.
 */
export function isStaleConnection(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const bytesRead = bytesReadAtError.get(error) ?? bytesReadOfSocketError(error);
  return bytesRead !== undefined && bytesRead > 0;
}

/** undici's own error for a connection closed in good order says what the socket had brought. */
function bytesReadOfSocketError(error: object): number | undefined {
  if (!("code" in error) || error.code !== "UND_ERR_SOCKET" || !("socket" in error)) return undefined;
  const { socket } = error;
  return typeof socket === "object" &&
    socket !== null &&
    "bytesRead" in socket &&
    typeof socket.bytesRead === "number"
    ? socket.bytesRead
    : undefined;
}
