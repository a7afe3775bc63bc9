import { parseArgs } from "node:util";
import { nearestName, ValidationError } from "@tinkex/base";
import { WEIGHT_FORMATS } from "../quantization/weight-format.js";
import { GENERATIONS } from "../server/generation.js";
import type { LocalServerOptions, ServedModel } from "../server/local-server-options.js";

/** The options of the command line, for `--help`. */
export const SERVE_HELP = `Serves the Tinker API on this machine, and really trains.

  --port N          port to listen on (default: any free one)
  --host ADDRESS    address to listen on (default: 127.0.0.1; others need --api-key)
  --data DIRECTORY  folder of runs and checkpoints (default: a temporary one)
  --model NAME=DIR  serve a Hugging Face directory under a name; may be repeated (default: the built-in models)
  --stand-in        serve any base model by the first of these (default: by tinkex/pocket-2)
  --generation V    speak one generation of the API alone: 0.4, 0.25 or 0.38 (default: all)
  --runtime NAME    auto, native or wasm (default: auto)
  --threads N       threads of the arithmetic (default: one per core)
  --memory-limit MB most memory of the server, in megabytes (default: no limit)
  --weights FORM    float32, int8 or int4: form of the models' linear layers (default: float32)
  --api-key KEY     key that clients must send (or the variable TINKER_API_KEY with --require-key)
  --require-key     ask for the key in TINKER_API_KEY
  --seed N          draw the same seeds in every run
  --help            show this`;

/** Arguments of the command, understood. */
export interface ServeArguments {
  readonly options: LocalServerOptions;
  readonly isHelpWanted: boolean;
}

/**
 * Reads the arguments of `serve`.
 *
 * @throws ValidationError that names the option and the remedy
 */
export function serveArguments(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ServeArguments {
  const { values } = parse(args);
  const apiKey = values["api-key"] ?? (values["require-key"] === true ? env.TINKER_API_KEY : undefined);
  if (values["require-key"] === true && (apiKey === undefined || apiKey === "")) {
    throw new ValidationError(
      "--require-key: TINKER_API_KEY is not set; set it, or give the key as --api-key",
      {
        path: ["require-key"],
      },
    );
  }
  const models = values.model?.map(servedModel);
  return {
    isHelpWanted: values.help === true,
    options: {
      port: wholeNumber("port", values.port),
      host: values.host,
      dataDirectory: dataDirectory(values.data),
      models,
      standIn: values["stand-in"],
      generation: oneOf("generation", GENERATIONS, values.generation),
      runtime: runtimeName(values.runtime),
      threads: wholeNumber("threads", values.threads),
      memoryLimitMb: wholeNumber("memory-limit", values["memory-limit"], " of megabytes"),
      weights: oneOf("weights", WEIGHT_FORMATS, values.weights),
      seed: wholeNumber("seed", values.seed),
      apiKey,
    },
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        port: { type: "string" },
        host: { type: "string" },
        data: { type: "string" },
        model: { type: "string", multiple: true },
        "stand-in": { type: "boolean" },
        generation: { type: "string" },
        runtime: { type: "string" },
        threads: { type: "string" },
        "memory-limit": { type: "string" },
        weights: { type: "string" },
        "api-key": { type: "string" },
        "require-key": { type: "boolean" },
        seed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const meant = nearestOption(args, message);
    const remedy = meant === undefined ? "(--help lists the options)" : `; did you mean --${meant}?`;
    throw new ValidationError(`serve: ${message.split("\n").join(" ")} ${remedy}`.replace(" ;", ";"), {
      path: ["argv"],
      cause,
    });
  }
}

/** Finds the option that was meant by an unknown one, which Node's message names. */
function nearestOption(args: readonly string[], message: string): string | undefined {
  const unknown = args.find((arg) => arg.startsWith("--") && message.includes(`'${arg.split("=")[0]}'`));
  const name = unknown?.slice(2).split("=")[0] ?? "";
  const known = SERVE_HELP.match(/--[a-z-]+/g)?.map((option) => option.slice(2)) ?? [];
  return unknown === undefined || known.includes(name) ? undefined : nearestName(name, known);
}

function wholeNumber(name: string, text: string | undefined, unit = ""): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(value)) return value;
  throw new ValidationError(`--${name} must be a whole number${unit}, got ${JSON.stringify(text)}`, {
    path: [name],
  });
}

/** Refuses the empty text of a variable that is not set, which would stand for the working folder. */
function dataDirectory(text: string | undefined): string | undefined {
  if (text !== "") return text;
  throw new ValidationError(
    '--data must not be empty; write "." for the working folder, or leave it out for a temporary one',
    { path: ["data"] },
  );
}

function servedModel(text: string): ServedModel {
  const at = text.indexOf("=");
  if (at <= 0 || at === text.length - 1) {
    // A name alone is that of a model elsewhere, which nothing here downloads.
    const remedy = at === -1 ? "; --stand-in serves any name by a model that is here" : "";
    throw new ValidationError(`--model must be NAME=DIRECTORY, got ${JSON.stringify(text)}${remedy}`, {
      path: ["model"],
    });
  }
  return { name: text.slice(0, at), directory: text.slice(at + 1) };
}

/** Reads the value of a flag that takes one of some names. @throws ValidationError naming them */
function oneOf<Name extends string>(
  option: keyof LocalServerOptions,
  names: readonly Name[],
  text: string | undefined,
): Name | undefined {
  const found = names.find((name) => name === text);
  if (text === undefined || found !== undefined) return found;
  throw new ValidationError(`--${option} must be one of ${names.join(", ")}, got ${JSON.stringify(text)}`, {
    path: [option],
  });
}

function runtimeName(text: string | undefined): LocalServerOptions["runtime"] {
  if (text === undefined || text === "auto" || text === "native" || text === "wasm") return text;
  throw new ValidationError(`--runtime must be auto, native or wasm, got ${JSON.stringify(text)}`, {
    path: ["runtime"],
  });
}
