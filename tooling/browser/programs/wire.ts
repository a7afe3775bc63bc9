import type { ForwardBackwardRequest } from "@tinkex/types";
import { decodeFutureResult, encodeForwardBackwardRequest } from "@tinkex/wire";

export interface Input {
  readonly request: ForwardBackwardRequest;
  /** The protobuf answer to a poll for a training result. */
  readonly answer: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly bytes: readonly number[];
  };
}

/** Encodes a training request in protobuf, and decodes a training result. */
export function run({ request, answer: { status, headers, bytes } }: Input) {
  const { body } = encodeForwardBackwardRequest(request, { wire: "protobuf", generation: "0.38" });
  const outcome = decodeFutureResult("ForwardBackwardOutput", {
    status,
    headers,
    body: Uint8Array.from(bytes),
  });
  if (outcome.state !== "complete") throw new Error(`expected a result, got ${outcome.state}`);
  const { loss_fn_outputs, ...rest } = outcome.result;
  return {
    body: [...body],
    // What leaves the browser for the test is JSON, which has no typed arrays.
    result: {
      ...rest,
      loss_fn_outputs: loss_fn_outputs.map((output) =>
        Object.fromEntries(
          Object.entries(output).map(([name, tensor]) => [
            name,
            { ...tensor, data: Array.from(tensor.data, Number) },
          ]),
        ),
      ),
    },
  };
}
