/** Trains a step, saves and samples on the server that TINKER_BASE_URL names. */
export const PROGRAM = `import { ModelInput, ServiceClient } from "tinkex";
export async function trainAndSample() {
  const service = new ServiceClient();
  try {
    const training = await service.createLoraTrainingClient({ base_model: "tinkex/pocket-1", rank: 4 });
    const datum = {
      model_input: ModelInput.fromInts([1, 2, 3, 4]),
      loss_fn_inputs: { target_tokens: [2, 3, 4, 5], weights: [1, 1, 1, 1] },
    };
    const pass = training.forwardBackward([datum], "cross_entropy");
    await training.optimStep({ learning_rate: 1e-3 });
    const sampler = await training.saveWeightsAndGetSamplingClient();
    const { sequences } = await sampler.sample({ prompt: [1, 2, 3], sampling_params: { max_tokens: 5 } });
    const tokenizer = await training.getTokenizer();
    return {
      loss: (await pass).metrics["loss:sum"],
      sampled: sequences[0]?.tokens.length,
      encoded: tokenizer.encode("a b").length,
    };
  } finally {
    await service.close();
  }
}
`;

/** Prints the program's result as the last line of its output. */
export const MAIN = `import { trainAndSample } from "./program.js";
console.log(JSON.stringify(await trainAndSample()));
`;

/** A Next.js app with two route handlers: one uses the server of TINKER_BASE_URL, one starts a local server of its own. */
export const NEXT_APP: Readonly<Record<string, string>> = {
  "app/layout.js": `export default function Layout({ children }) {
  return <html lang="en"><body>{children}</body></html>;
}
`,
  "app/page.js": `export default function Page() { return <p>ready</p>; }
`,
  "app/api/train/route.js": `import { trainAndSample } from "../../../program.js";
export const dynamic = "force-dynamic";
export async function GET() { return Response.json(await trainAndSample()); }
`,
  "app/api/local/route.js": `import { startLocalServer } from "@tinkex/local";
export const dynamic = "force-dynamic";
export async function GET() {
  const server = await startLocalServer({ runtime: "wasm" });
  try {
    return Response.json({ models: server.models.map(({ name }) => name) });
  } finally {
    await server.close();
  }
}
`,
  "next.config.mjs": `export default { serverExternalPackages: ["@tinkex/local"] };
`,
};
