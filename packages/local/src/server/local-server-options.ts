import type { Clock, Logger, ServerTracer } from "@tinkex/base";
import type { ApiGeneration } from "@tinkex/types";

/** A base model to serve. */
export interface ServedModel {
  /** Name that clients ask for as `base_model`, e.g. `HuggingFaceTB/SmolLM2-135M`. */
  readonly name: string;
  /** A Hugging Face directory: `config.json`, safetensors (2 GiB as float32 at most in WebAssembly) and tokenizer. */
  readonly directory: string;
  /** Form of its linear layers. @defaultValue that of the server's option `weights` */
  readonly weights?: "float32" | "int8" | "int4" | undefined;
}

export interface LocalServerOptions {
  /** @defaultValue 0, any free port */
  readonly port?: number | undefined;
  /**
   * Address to listen on. Anything but a loopback address needs `apiKey`.
   * @defaultValue `127.0.0.1`
   */
  readonly host?: string | undefined;
  /**
   * Folder of training runs and checkpoints; they are there again when a server is started on the same directory, which one
   * server can have at a time.
   * @defaultValue a new directory among the system's temporary ones, removed at `close()` if nothing was saved in it
   */
  readonly dataDirectory?: string | undefined;
  /** @defaultValue the built-in models: `tinkex/pocket-1`, and `tinkex/pocket-2`, whose engine starts when it is first asked for */
  readonly models?: readonly ServedModel[] | undefined;
  /**
   * Serves any base model that is asked for: `tinkex/pocket-2`, or the first of `models`, stands in for those that are not there, so
   * that a program written for a large model runs as it is. Its tokenizer and its skills are its own, and it says its own name; the log warns once a name.
   * @defaultValue false
   */
  readonly standIn?: boolean | undefined;
  /**
   * Speaks one generation of the API alone, by the version of the official SDK that has it: plain JSON (`0.4`), protobuf (`0.25`) or
   * the newest (`0.38`), to test a client against a server of that age. @defaultValue all of them at once
   */
  readonly generation?: ApiGeneration | undefined;
  /**
   * ONNX Runtime that computes: the native one, or WebAssembly, which runs everywhere and is about a third as fast.
   * @defaultValue `auto`: native where it loads
   */
  readonly runtime?: "auto" | "native" | "wasm" | undefined;
  /** Threads of the arithmetic. @defaultValue one per core */
  readonly threads?: number | undefined;
  /**
   * Most memory of the server with all its models, in MB of 2^20 bytes, mapped weights counted once. Large batches run in smaller parts,
   * fewer samples run side by side, and a model's context ends where longer rows would not fit: the log says where. Adapters of some hundred MB are
   * within it, but not an unlimited number of them. @defaultValue no limit
   */
  readonly memoryLimitMb?: number | undefined;
  /**
   * Form of the linear layers of all models that name none of their own: as they are, or rounded to 8 or 4 bits a number, for
   * sampling and for training alike. A sample then takes less time and memory, and its log-probabilities differ.
   * @defaultValue `float32`
   */
  readonly weights?: "float32" | "int8" | "int4" | undefined;
  /** The key clients must send. @defaultValue none is asked for */
  readonly apiKey?: string | undefined;
  /** Makes the seeds the server draws (for requests that name none) the same in every run. @defaultValue drawn anew */
  readonly seed?: number | undefined;
  /** @defaultValue says nothing */
  readonly logger?: Logger | undefined;
  readonly clock?: Clock | undefined;
  /**
   * Hears of each operation when it has ended: how long it waited, compiled and ran, and the `traceparent` of its request.
   * `serverTracer()` of `@tinkex/telemetry/otel` makes OpenTelemetry spans of that. @defaultValue nobody
   */
  readonly tracer?: ServerTracer | undefined;
  /** Numbers in [0, 1), for seeds. @defaultValue `Math.random`, or a stream from `seed` */
  readonly random?: (() => number) | undefined;
}
