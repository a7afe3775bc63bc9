import { ValidationError } from "@tinkex/base";
import { createTransport } from "@tinkex/http";
import { expect, it } from "vitest";
import { ServiceClient } from "../service/service-client.js";
import { datum } from "../testing/examples.js";
import { openTraining } from "../testing/open-training.js";

it("clients 24: refuses arguments of the wrong kind at the call, before anything is sent", async () => {
  const { stub, service, training } = await openTraining();
  const sampler = await service.createSamplingClient({ base_model: "b" });
  const sent = stub.trace.length;
  const transport = createTransport({ baseUrl: stub.url });
  // What plain JavaScript may pass.
  const nothing = undefined as never;
  const config = (value: unknown) => () =>
    training.forwardBackward([datum(1)], "ppo", { loss_fn_config: value as never });
  const calls: readonly (readonly [() => unknown, RegExp])[] = [
    [() => service.createLoraTrainingClient(nothing), /^params must be an object, e.g. .*got undefined/],
    [() => service.createSamplingClient(nothing), /^params must be an object, e.g. .*base_model/],
    [() => training.optimStep(null as never), /^params must be an object, e.g. .*learning_rate.*got null/],
    [() => sampler.sample(nothing), /^params must be an object, e.g. .*prompt/],
    [() => sampler.sample({ prompt: "hello" as never, sampling_params: {} }), /^prompt is a text: encode it/],
    [
      () => training.forwardBackward([datum(1), { ...datum(1), wieghts: [0] } as never], "cross_entropy"),
      /^data\[1\]: unknown field "wieghts"/,
    ],
    [
      () => new ServiceClient({ baseURL: stub.url } as never),
      /^the options of ServiceClient: unknown field "baseURL", did you mean "baseUrl"/,
    ],
    [
      () => new ServiceClient({ apiKey: "tml-a", credential: () => "tml-b", env: {} }),
      /^give an apiKey or a credential, not both/,
    ],
    [
      () => new ServiceClient({ transport, baseUrl: stub.url, hooks: {}, env: {} }),
      /^baseUrl, hooks beside a transport would be ignored; give them to createTransport/,
    ],
    [config("x"), /^loss_fn_config must be an object/],
    [config(null), /^loss_fn_config must be an object.*got null/],
    [config({ clip_low_threshold: true }), /^loss_fn_config.clip_low_threshold must be a number or a string/],
    [
      () => training.saveState("x", { overwrite: false, onConflict: "overwrite" }),
      /^overwrite: false contradicts onConflict/,
    ],
  ];
  for (const [call, message] of calls) {
    expect(call).toThrow(ValidationError);
    expect(call).toThrow(message);
  }
  expect(stub.trace).toHaveLength(sent);
});
