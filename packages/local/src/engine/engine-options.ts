import type { WeightFormat } from "../quantization/weight-format.js";

/** Most memory of a server, mapped weights counted once, which its models share evenly. */
export interface MemoryLimit {
  /** In MB of 2^20 bytes, mapped weights included. */
  readonly totalMb: number;
  readonly modelCount: number;
}

/** Options from which an engine is made. */
export interface EngineOptions {
  readonly model: {
    /** Name that clients ask for as `base_model`, e.g. `tinkex/pocket-1`. */
    readonly name: string;
    /** A Hugging Face directory: `config.json`, safetensors (2 GiB as float32 at most in WebAssembly) and tokenizer. */
    readonly directory: string;
    /** Form of the linear layers. @defaultValue `float32` */
    readonly weights?: WeightFormat | undefined;
  };
  /** @defaultValue `auto`: native where it loads, else wasm */
  readonly runtime?: "auto" | "native" | "wasm" | undefined;
  /**
   * Folder for the weights of a large model, which take 4 bytes a parameter there as float32, once for all graphs; a later engine
   * finds them. Default: each graph has a copy in memory.
   */
  readonly cacheDirectory?: string | undefined;
  /** Threads of the arithmetic. @defaultValue one per core */
  readonly threads?: number | undefined;
  /** @defaultValue no limit */
  readonly memoryLimit?: MemoryLimit | undefined;
}
