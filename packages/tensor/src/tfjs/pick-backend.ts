import { checkKnownNames, describeValue, TinkexError, ValidationError } from "@tinkex/base";
import { BACKENDS, type Backend, type BackendName } from "./backends.js";
import { importOutcome } from "./import-outcome.js";
import { silenceGreeting } from "./silence-greeting.js";
import { type Tfjs, tf } from "./tf.js";

export type { BackendName };

/** Backend that computes from now on, and why it is that one. */
export interface BackendChoice {
  readonly backend: BackendName;
  /** Its name within tfjs, which `tf.getBackend()` gives. */
  readonly tfjsName: string;
  /** A sentence for people, e.g. `wasm; not tfjs-node: it is not installed`. */
  readonly reason: string;
}

/** Options of {@link pickBackend}. */
export interface PickBackendOptions {
  /** The one to use, or `auto` for the fastest that works. @defaultValue "auto" */
  readonly backend?: BackendName | "auto" | undefined;
}

/** Outside world of {@link pickBackend}. */
interface Surroundings {
  readonly tf: Pick<Tfjs, "findBackendFactory" | "getBackend" | "setBackend">;
  readonly backends: readonly Backend[];
}

/**
 * Makes a backend the active one of tfjs: the fastest that is installed and starts, of tfjs-node (native), wasm and cpu,
 * or the one asked for. Tensors made before stay usable: tfjs moves them when they are used.
 *
 * When it fails the active backend stays.
 *
 * @throws ValidationError for an unknown name, of a backend or of an option
 * @throws TinkexError (`missing_dependency`) when the one asked for, or every one, is missing or does not start
 */
export async function pickBackend(
  options: PickBackendOptions = {},
  surroundings: Surroundings = { tf, backends: BACKENDS },
): Promise<BackendChoice> {
  checkOptions(options);
  const wanted = options.backend ?? "auto";
  const candidates = candidatesFor(wanted, surroundings.backends);
  const active: string | undefined = surroundings.tf.getBackend();
  const passedOver: string[] = [];
  for (const backend of candidates) {
    const problem = await problemOfStarting(backend, surroundings.tf);
    if (problem === undefined) {
      silenceGreeting(tf);
      const why = wanted === "auto" ? passedOver.map((text) => `; not ${text}`).join("") : ", as asked for";
      return { backend: backend.name, tfjsName: backend.tfjsName, reason: `${backend.name}${why}` };
    }
    passedOver.push(`${backend.name}: ${problem}`);
  }
  // A backend that does not start leaves tfjs without one.
  if (active && active !== surroundings.tf.getBackend()) await surroundings.tf.setBackend(active);
  const install = candidates.map(({ packageName }) => `npm install ${packageName}`).join(", or ");
  throw new TinkexError(
    `tfjs has no backend that works here (${passedOver.join("; ")}). Install one: ${install}`,
    {
      code: "missing_dependency",
    },
  );
}

function checkOptions(options: PickBackendOptions): void {
  if (typeof options === "object" && options !== null) {
    checkKnownNames(options, { backend: true }, "options");
    return;
  }
  throw new ValidationError(
    `options must be an object, e.g. { backend: "cpu" }, got ${describeValue(options)}`,
    { path: ["options"] },
  );
}

function candidatesFor(wanted: BackendName | "auto", backends: readonly Backend[]): readonly Backend[] {
  const candidates = wanted === "auto" ? backends : backends.filter(({ name }) => name === wanted);
  if (candidates.length > 0) return candidates;
  const names = ["auto", ...backends.map(({ name }) => name)].join(", ");
  throw new ValidationError(`backend: ${describeValue(wanted)} is none of ${names}`, { path: ["backend"] });
}

/** Loads and activates a backend; what keeps it from working, or undefined once it does. */
async function problemOfStarting(backend: Backend, tf: Surroundings["tf"]): Promise<string | undefined> {
  const { tfjsName, packageName, load, prepare } = backend;
  prepare?.();
  if (!isRegistered(tf, tfjsName)) {
    const outcome = await importOutcome(packageName, load);
    if ("problem" in outcome) return outcome.problem;
    if (!isRegistered(tf, tfjsName)) return "it does not run on this platform";
  }
  try {
    return (await tf.setBackend(tfjsName)) ? undefined : "it does not start";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Tells whether some copy of tfjs has the backend already: they share one registry. */
function isRegistered(tf: Surroundings["tf"], tfjsName: string): boolean {
  const factory: unknown = tf.findBackendFactory(tfjsName);
  return factory !== undefined && factory !== null;
}
