/** What a package may import at run time, tests excepted. */
export interface Allowance {
  readonly siblings: readonly string[];
  readonly libraries: readonly string[];
  /** Libraries whose used part the build puts into `dist`: no dependency of whoever installs the package. */
  readonly bundled?: readonly string[];
  /** Loaded only where it is installed. */
  readonly optional?: readonly string[];
  /** Entry files that run in a browser: nothing they reach may import from `node:`. */
  readonly browserEntries: readonly string[];
}

/** The dependency graph. Arrows point down only; a new arrow or library is a decision (`docs/decisions/`). */
export const ALLOWED_DEPENDENCIES: Readonly<Record<string, Allowance>> = {
  base: { siblings: [], libraries: [], browserEntries: ["src/index.ts"] },
  types: {
    siblings: ["base"],
    libraries: [],
    bundled: ["zod"],
    browserEntries: ["src/index.ts", "src/endpoints.ts"],
  },
  wire: { siblings: ["base", "types"], libraries: ["@bufbuild/protobuf"], browserEntries: ["src/index.ts"] },
  tensor: {
    siblings: ["base", "types"],
    libraries: [],
    optional: [
      "@tensorflow/tfjs",
      "@tensorflow/tfjs-backend-cpu",
      "@tensorflow/tfjs-backend-wasm",
      "@tensorflow/tfjs-core",
      "@tensorflow/tfjs-node",
    ],
    browserEntries: ["src/index.ts", "src/loss-graph.ts", "src/tfjs.ts"],
  },
  http: { siblings: ["base", "types"], libraries: ["undici"], browserEntries: [] },
  tokenizer: {
    siblings: ["base"],
    libraries: ["@huggingface/tokenizers"],
    optional: ["@huggingface/transformers"],
    browserEntries: ["src/index.ts", "src/chat-template.ts"],
  },
  renderers: {
    siblings: ["base", "types", "tokenizer"],
    libraries: [],
    browserEntries: ["src/index.ts", "src/chat-template.ts"],
  },
  runs: { siblings: ["base"], libraries: [], browserEntries: [] },
  client: {
    siblings: ["base", "types", "wire", "tensor", "http", "tokenizer"],
    libraries: [],
    optional: ["@tinkex/telemetry"],
    browserEntries: [],
  },
  local: {
    siblings: ["base", "types", "wire", "tensor", "tokenizer"],
    libraries: ["@bufbuild/protobuf", "@fastify/send", "fastify", "light-my-request", "onnxruntime-web"],
    bundled: ["zod"],
    optional: ["onnxruntime-node"],
    browserEntries: ["src/engine.ts"],
  },
  recipes: {
    siblings: ["base", "types", "renderers", "runs", "client"],
    libraries: [],
    browserEntries: [],
  },
  telemetry: {
    siblings: ["base", "runs", "types"],
    libraries: ["asciichart"],
    optional: ["@opentelemetry/api"],
    browserEntries: [],
  },
  tinkex: {
    siblings: ["base", "client", "renderers", "telemetry", "tensor", "tokenizer", "types"],
    libraries: [],
    optional: ["@tinkex/local"],
    browserEntries: [],
  },
};
