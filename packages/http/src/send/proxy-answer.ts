import type { Socket } from "node:net";
import { TunnelError } from "../errors/tunnel-error.js";

/**
 * Reads one answer of a proxy off a connection, which afterwards is as it was before, or is of no more use.
 *
 * @param read - looks at all bytes so far: `undefined` while they are too few, a TunnelError where there will be no tunnel
 */
export function proxyAnswer<T>(
  socket: Socket,
  read: (bytes: Buffer) => T | TunnelError | undefined,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const leave = (settle: () => void): void => {
      socket.off("data", onData).off("end", onEnd).off("error", onError).off("close", onEnd);
      socket.pause();
      settle();
    };
    const fail = (error: TunnelError): void => leave(() => reject(error));
    const onEnd = (): void => fail(TunnelError.hungUp());
    const onError = (error: Error): void => fail(TunnelError.of(error));
    const onData = (piece: Buffer): void => {
      bytes = Buffer.concat([bytes, piece]);
      const answer = read(bytes);
      if (answer === undefined) return;
      if (answer instanceof TunnelError) fail(answer);
      else leave(() => resolve(answer));
    };
    socket.on("data", onData).on("end", onEnd).on("error", onError).on("close", onEnd);
    // The answer before this one has left it paused.
    socket.resume();
  });
}
