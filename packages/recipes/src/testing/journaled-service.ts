import type { ServiceClient } from "@tinkex/client";
import type { Datum } from "@tinkex/types";

/** Call of a training client that was made, or a client that was. */
export type JournalEntry =
  | { readonly client: string; readonly from: string | undefined }
  | { readonly client: string; readonly call: string; readonly what: string };

/** Receiver of what happens to the training clients of a service. */
export interface Journal {
  /** Takes a call before it is made. */
  readonly note: (entry: JournalEntry) => void;
  /** Hears of each point of a step: `call optimStep 3` before it is submitted, `done saveState 000003` once its answer is in. */
  readonly reach: (point: string) => void;
}

/** Calls that change weights, or keep them. */
const NOTED = [
  "forwardBackward",
  "optimStep",
  "saveState",
  "saveWeightsForSampler",
  "saveWeightsAndGetSamplingClient",
];

/** Wraps a service so that every pass, update and save of its training clients is told of before it is made, and again with its answer. */
export function journaledService(service: ServiceClient, journal: Journal): ServiceClient {
  return new Proxy(service, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (!/^create.*TrainingClient/.test(String(name))) return member.bind(target);
      return async (...args: unknown[]) => {
        const training: object = await Reflect.apply(member, target, args);
        const from = typeof args[0] === "string" ? args[0] : undefined;
        const client = String(Reflect.get(training, "modelId"));
        journal.note({ client, from });
        const startStep = from === undefined ? 0 : Number(savedAs(from).name);
        return journaledTraining(training, client, startStep, journal);
      };
    },
  });
}

function journaledTraining(
  training: object,
  client: string,
  startStep: number,
  { note, reach }: Journal,
): object {
  const counts = new Map<string, number>();
  return new Proxy(training, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      const call = String(name);
      if (!NOTED.includes(call)) return member.bind(target);
      return (...args: unknown[]) => {
        const step = counts.get(call) ?? startStep;
        counts.set(call, step + 1);
        const [first] = args;
        const isNamed = typeof first === "string";
        const point = `${call} ${isNamed ? first : step}`;
        reach(`call ${point}`);
        note({
          client,
          call,
          what: isNamed ? first : (JSON.stringify(Array.isArray(first) ? first.map(tokensOf) : first) ?? ""),
        });
        const result: unknown = Reflect.apply(member, target, args);
        Promise.resolve(result).then(
          () => reach(`done ${point}`),
          () => {},
        );
        return result;
      };
    },
  });
}

/** Tokens of an example; samples have names that differ from server to server. */
function tokensOf({ model_input }: Datum): readonly number[] {
  return model_input.chunks.flatMap((chunk) => ("tokens" in chunk ? Array.from(chunk.tokens) : []));
}

/** Passes and updates that made the weights a client ends with, those before the checkpoint that it went on from included. */
export function lineageOf(entries: readonly JournalEntry[], client: string): readonly string[] {
  const own = entries.filter((entry) => entry.client === client);
  const from = own.flatMap((entry) => ("from" in entry ? (entry.from ?? []) : []))[0];
  const calls = own.flatMap((entry) => ("call" in entry ? [entry] : []));
  return [...(from === undefined ? [] : lineageUpTo(entries, from)), ...stepsOf(calls)];
}

function lineageUpTo(entries: readonly JournalEntry[], path: string): readonly string[] {
  const { client, name } = savedAs(path);
  const end = entries.findIndex(
    (entry) =>
      entry.client === client && "call" in entry && entry.call === "saveState" && entry.what === name,
  );
  if (end < 0) throw new Error(`no client has saved ${path}`);
  return lineageOf(entries.slice(0, end), client);
}

const SCHEME = "tinker://";
const FOLDER = "/weights/";

/** Tells which client saved a checkpoint under which name: `tinker://<client>/weights/<name>`. */
function savedAs(path: string): { readonly client: string; readonly name: string } {
  const at = path.lastIndexOf(FOLDER);
  if (!path.startsWith(SCHEME) || at < 0) throw new Error(`${path} is no path of saved weights`);
  return { client: path.slice(SCHEME.length, at), name: path.slice(at + FOLDER.length) };
}

function stepsOf(calls: readonly { readonly call: string; readonly what: string }[]): string[] {
  return calls
    .filter(({ call }) => call === "forwardBackward" || call === "optimStep")
    .map(({ call, what }) => `${call} ${what}`);
}
