import { fileURLToPath } from "node:url";

/** A server that others wrote, and how it is started. */
export interface ServerKind {
  readonly title: string;
  /** Folder of its Python environment. */
  readonly environment: string;
  /** Lists of the packages it needs, by hash. */
  readonly requirements: readonly string[];
  /** The version of the official SDK that completes a walk on it; its environment has it. */
  readonly sdk: string;
  readonly apiKey: string;
  /** Arguments for its Python; the working folder is `folder`, and the model is in `tiny-qwen3` within it. */
  startArguments(port: number, folder: string): readonly string[];
}

/** Name of the model of random weights. */
export const MODEL_NAME = "tiny-qwen3";

/** Models with an adapter that SkyRL holds at one time: one more than are open together here, so that one left behind is missed. */
export const MAX_OPEN_MODELS = 5;

export const SKYRL_0_4: ServerKind = skyrl("0.4.0", "0.25.0");
export const SKYRL_0_3: ServerKind = skyrl("0.3.0", "0.24.1");

export const TUFT: ServerKind = {
  title: "TuFT 0.2.2",
  environment: "tuft-0.2.2",
  requirements: ["requirements-tuft.txt"],
  sdk: "0.25.0",
  apiKey: "tml-dummy",
  startArguments: (port, folder) => [script("serve_tuft.py"), String(port), MODEL_NAME, folder],
};

export const SERVER_KINDS: readonly ServerKind[] = [SKYRL_0_4, SKYRL_0_3, TUFT];

/** Gives the path of a file beside this one. */
export function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function skyrl(version: string, sdk: string): ServerKind {
  return {
    title: `SkyRL ${version}`,
    environment: `skyrl-${version}`,
    requirements: ["requirements-skyrl.txt", `requirements-skyrl-${version}.txt`],
    sdk,
    apiKey: "tml-dummy",
    startArguments: (port, folder) => [
      script("serve_skyrl.py"),
      ...["--base-model", MODEL_NAME, "--backend", "jax"],
      // The first place belongs to the base model.
      ...["--backend-config", JSON.stringify({ max_lora_adapters: MAX_OPEN_MODELS + 1, max_lora_rank: 32 })],
      ...["--checkpoints-base", `${folder}/checkpoints`, "--database-url", `sqlite:///${folder}/server.db`],
      ...["--host", "127.0.0.1", "--port", String(port)],
    ],
  };
}
