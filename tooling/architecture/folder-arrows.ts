/** The folders of a package's sources. */
export interface FolderArrows {
  /**
   * From top to bottom: a file may import from its own folder and from those further down, so that no arrow runs up. Files beside
   * the folders, such as `index.ts`, stand above all of them.
   */
  readonly order: readonly string[];
  /** Folders that only tests use, which may import whatever they need. `testing` is always one. */
  readonly forTests?: readonly string[];
}

/** The packages whose folders have an order, by name. */
export const FOLDER_ARROWS: Readonly<Record<string, FolderArrows>> = {
  local: {
    order: [
      "command",
      "faults",
      "server",
      "embedded",
      "compute",
      "lock",
      "operations",
      "registries",
      "requests",
      "sampling",
      "training",
      "disk",
      "graph",
      "order",
      "adapter",
      "errors",
      "runtime",
      "engine",
      "model",
      "losses",
      "quantization",
      "onnx",
      "random",
      "safetensors",
      "json",
      "files",
    ],
  },
  client: {
    order: [
      "service",
      "auth",
      "admin",
      "rest",
      "downloads",
      "training",
      "sampling",
      "channel",
      "session",
      "future",
      "events",
      "inputs",
    ],
    forTests: ["contract"],
  },
  telemetry: {
    order: ["otel", "log", "reporter"],
  },
  renderers: {
    order: [
      "registry",
      "datum",
      "chat-template",
      "families",
      "layout",
      "renderer",
      "tool-calls",
      "replies",
      "pieces",
      "images",
      "messages",
      "text",
    ],
  },
  recipes: {
    order: [
      "loops",
      "rollout",
      "run",
      "data",
      "datum",
      "metrics",
      "losses",
      "advantage",
      "models",
      "arithmetic",
      "arguments",
    ],
  },
  runs: {
    order: ["reader", "run", "config", "lines"],
  },
  tokenizer: {
    order: [
      "providers",
      "hub",
      "sources",
      "files",
      "chat",
      "tokenizer",
      "added-tokens",
      "models",
      "steps",
      "file-format",
      "patterns",
      "template",
      "text",
    ],
  },
};
