import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

/** Sends the bytes of a request, and gives status and body of the answer once the server has hung up. */
async function exchange(server: TestServer, head: readonly string[]): Promise<[string, string]> {
  const socket = connect(server.running.port, "127.0.0.1");
  let answer = "";
  socket.setEncoding("utf8").on("data", (piece) => {
    answer += piece;
  });
  socket.write([...head, "", ""].join("\r\n"));
  await once(socket, "close");
  const [top = "", body = ""] = answer.split("\r\n\r\n");
  return [top.split(" ")[1] ?? "", body];
}

const LAST = ["Connection: close"];

describe("a request that no route ever sees", () => {
  it.each([
    [
      "an expectation",
      "417",
      ["GET /api/v1/healthz HTTP/1.1", "Host: localhost", "Expect: wonders", ...LAST],
    ],
    ["no host", "403", ["GET /api/v1/healthz HTTP/1.1", ...LAST]],
    ["a tunnel in mind", "405", ["CONNECT localhost:80 HTTP/1.1", "Host: localhost", ...LAST]],
    ["no HTTP", "400", ["HELLO", ...LAST]],
  ])("is answered with a detail where it has %s", async (_, status, head) => {
    const server = await TestServer.start();
    const [given, body] = await exchange(server, head);
    expect(given).toBe(status);
    expect(JSON.parse(body)).toEqual({ detail: expect.any(String) });
    expect((await server.get("/healthz")).status).toBe(200);
  });

  it("is answered as usual where it expects to be told to go on", async () => {
    const server = await TestServer.start();
    const head = ["GET /api/v1/healthz HTTP/1.1", "Host: localhost", "Expect: 100-continue", ...LAST];
    expect((await exchange(server, head))[0]).toBe("100");
  });

  it("takes no place in a model's order, sent without the key to where none is needed", async () => {
    const apiKey = "tml-secret";
    const server = await TestServer.start({ apiKey });
    const post = (path: string, body: object, headers: Record<string, string> = {}) =>
      server.post(path, body, headers);
    const keyed = { "x-api-key": apiKey };
    const { body: session } = await post("/create_session", {}, keyed);
    const creation = { ...session, model_seq_id: 0, base_model: "test/one", lora_config: { rank: 4 } };
    await post("/create_model", creation, keyed);
    const model_id = `${session.session_id}:train:0`;
    for (const path of ["/files/a/b/c", "/healthz"]) {
      expect((await post(path, { model_id, seq_id: 1 })).status).toBe(401);
    }
    const step = { model_id, seq_id: 1, adam_params: { learning_rate: 1 } };
    expect((await post("/optim_step", step, keyed)).status).toBe(200);
  });
});
