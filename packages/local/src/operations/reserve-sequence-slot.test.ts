import { describe, expect, it } from "vitest";
import { RequestRefusal } from "../errors/request-refusal.js";
import { passBody } from "../testing/test-client.js";
import { TestServer } from "../testing/test-server.js";
import { reserveSequenceSlot } from "./reserve-sequence-slot.js";

describe("reserveSequenceSlot", () => {
  it("looks at no member of a refused body but the model and the number, however many there are", async () => {
    const server = await TestServer.start();
    const model = await server.createModel();
    const body = new Proxy(
      { model_id: model, seq_id: 1 },
      {
        ownKeys() {
          throw new Error("all members were asked for");
        },
      },
    );
    const refuse = () => {
      throw new RequestRefusal(422, "not taken");
    };
    for (let time = 0; time < 2; time += 1) {
      await expect(reserveSequenceSlot(server.running.state, body, refuse)).rejects.toThrow("not taken");
    }
    expect(server.running.state.futures.has(`${model}, seq_id 1`)).toBe(true);
    expect(await server.run("/forward_backward", passBody(model, 2))).toHaveProperty("metrics");
    expect((await server.post("/forward_backward", passBody(model, 1))).status).toBe(409);
  });
});
