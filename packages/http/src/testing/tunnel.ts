import { type AddressInfo, connect, createServer } from "node:net";
import { onTestFinished } from "vitest";

/** A proxy that tunnels everything to one port, whatever host is asked for; or answers with `refusal`. It ends with the test. */
export async function tunnelTo(port: number, refusal?: string): Promise<{ at: string; heads: string[] }> {
  const heads: string[] = [];
  const proxy = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head) => {
      heads.push(head.toString("latin1"));
      if (refusal !== undefined) return void socket.end(`HTTP/1.1 ${refusal}\r\ncontent-length: 0\r\n\r\n`);
      const onward = connect(port, "127.0.0.1");
      onward.on("error", () => {});
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void proxy.close());
  return { at: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, heads };
}
