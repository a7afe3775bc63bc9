import { fetchModelFiles, type OpenModelOptions, openModel } from "@tinkex/local/engine";
import { Datum, ModelInput } from "@tinkex/types";

export interface Input {
  readonly options: Pick<OpenModelOptions, "runtime" | "threads" | "runtimeFolder">;
  /** Folder of the model, relative to the page. */
  readonly modelUrl: string;
  readonly rows: readonly { readonly tokens: readonly number[]; readonly targets: readonly number[] }[];
  readonly steps: number;
  readonly prompt: string;
}

/** Opens a model, trains an adapter on all rows for some steps, and samples from it. */
export async function run({ options, modelUrl, rows, steps, prompt }: Input) {
  await using model = await openModel(await fetchModelFiles(modelUrl), options);
  const data = rows.map(({ tokens, targets }) =>
    Datum.of(tokens, { target_tokens: { data: targets, dtype: "int64" } }),
  );
  const lora = await model.createLora({ rank: 8, seed: 7 });
  const losses: number[] = [];
  const norms: number[] = [];
  let logprobs: number[] = [];
  for (let step = 0; step < steps; step += 1) {
    const pass = await lora.forwardBackward(data, "cross_entropy");
    const { metrics } = await lora.optimStep({ learning_rate: 2e-3 });
    losses.push(pass.metrics["loss:sum"] ?? Number.NaN);
    norms.push(metrics?.["grad_norm:mean"] ?? Number.NaN);
    if (step === 0) logprobs = Array.from(pass.loss_fn_outputs[0]?.logprobs?.data ?? [], Number);
  }
  const { sequences } = await lora.sample({
    prompt: ModelInput.fromInts(model.tokenizer.encode(prompt)),
    num_samples: 1,
    sampling_params: { max_tokens: 8, temperature: 0, stop: ["\n"] },
  });
  return { runtime: model.runtime, losses, norms, logprobs, tokens: sequences[0]?.tokens };
}
