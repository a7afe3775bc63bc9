import { expect, it } from "vitest";
import type { ServiceClientOptions } from "../service/service-client-options.js";
import { datum, readPass } from "../testing/examples.js";
import { openService } from "../testing/open-service.js";

/** "Packs" by turning the bytes around, which is as easy to undo as to see. */
const compress = async (bytes: Uint8Array): Promise<Uint8Array> => bytes.slice().reverse();

async function firstPass(config: object, options: ServiceClientOptions) {
  const { stub, service } = await openService(options);
  stub.on("client/config", () => ({ body: config }));
  const usual = stub.usual("forward_backward");
  stub.on("forward_backward", (request) =>
    usual(
      request.headers["content-encoding"] === "zstd" ? { ...request, body: request.body.reverse() } : request,
    ),
  );
  const training = await service.createLoraTrainingClient({ base_model: "b" });
  await training.forwardBackward([datum(7)], "cross_entropy");
  const [request] = stub.seen("forward_backward");
  return request ?? expect.fail("nothing was sent");
}

it("BR-044: packs training requests where the server allows it and this Node can", async () => {
  const packed = await firstPass({ proto_compress_fwdbwd: true }, { compress });
  expect(packed.headers["content-encoding"]).toBe("zstd");
  expect(packed.headers["content-type"]).toBe("application/x-protobuf");
  expect(readPass(packed).forward_backward_input.data).toHaveLength(1);
});

it("sends them as they are where one of the two is not so, and never packs JSON", async () => {
  for (const request of [
    await firstPass({}, { compress }),
    await firstPass({ proto_compress_fwdbwd: true }, { compress, wire: "json" }),
  ]) {
    expect(request.headers["content-encoding"]).toBeUndefined();
  }
});
