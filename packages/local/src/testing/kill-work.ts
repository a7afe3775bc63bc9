import { expect } from "vitest";
import type { CheckpointPlace } from "../disk/checkpoint-record.js";
import type { Dice } from "./fuzz/dice.js";
import { passBody, type TestClient } from "./test-client.js";

/** State of a checkpoint: the weight it was saved with and who may read it, or `absent`. */
type State = string;

const ABSENT: State = "absent";
const stateOf = (weight: string, isPublic: boolean): State => (isPublic ? `${weight}, public` : weight);

interface Known {
  readonly place: CheckpointPlace;
  /** States in which it may be: one, or two after a change that was not acknowledged. */
  states: readonly State[];
  /** Time of its end by the clock of this machine: at the earliest, and at the latest. */
  end: { readonly fromMs: number; readonly toMs: number };
}

const NEVER = { fromMs: Number.POSITIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };
const NAMES = ["a", "b", "c"] as const;
const TTL_SECONDS = 1;

/** Changes of checkpoints on servers that may end at any moment, and what must be there afterwards. */
export class KillWork {
  readonly tally: Record<string, number> = {};
  readonly #dice: Dice;
  readonly #known = new Map<string, Known>();
  /** Checkpoints that a lane is changing. */
  readonly #busy = new Set<Known>();

  /** Number of changes that servers have acknowledged. */
  get acknowledged(): number {
    return Object.values(this.tally).reduce((sum, count) => sum + count, 0);
  }

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** Trains, saves, deletes, publishes, copies and lets expire, one after another, until the server is gone. */
  async run(client: TestClient): Promise<void> {
    try {
      const model = await client.createModel();
      for (let step = 0; ; step += 1) {
        if (step === 0 || this.#dice.hits(0.5)) await this.#save(client, model, step);
        else await this.#changeAny(client);
      }
    } catch (error) {
      // Ends of connections say that the server is gone; all else is a failure.
      if (!(error instanceof TypeError)) throw error;
    }
  }

  /** Compares what a server shows with what must be there, and takes it for what is there from now on. */
  async check(
    client: TestClient,
    when: string,
    readAdapter: (place: CheckpointPlace) => Promise<string>,
  ): Promise<void> {
    this.#busy.clear();
    const askedAtMs = Date.now();
    const shown = await shownStates(client);
    for (const [path, known] of this.#known) {
      const { state, endMs } = shown.get(path) ?? { state: ABSENT, endMs: undefined };
      const allowed = [
        ...(askedAtMs < known.end.toMs ? known.states : []),
        ...(Date.now() >= known.end.fromMs ? [ABSENT] : []),
      ];
      expect(allowed, `${path} after ${when}`).toContain(state);
      if (state === ABSENT) this.#known.delete(path);
      else known.states = [state];
      known.end = endMs === undefined ? NEVER : { fromMs: endMs, toMs: endMs };
      if (state !== ABSENT && endMs === undefined) {
        const { weight } = JSON.parse(await readAdapter(known.place));
        expect(state.split(",")[0], `weights of ${path} after ${when}`).toBe(String(weight));
        const { status } = await client.post("/weights_info", { tinker_path: path });
        expect(status, `${path} after ${when}`).toBe(200);
      }
    }
    for (const [path, { state }] of shown) {
      // A copy that was not acknowledged: it is there whole, and bears an id of its own.
      if (!path.includes(":train:") && !this.#known.has(path)) this.#at(placeOf(path)).states = [state];
      expect([...this.#known.keys()], `after ${when}`).toContain(path);
    }
  }

  async #save(client: TestClient, model_id: string, step: number): Promise<void> {
    const seq = 3 * step + 1;
    await client.run("/forward_backward", passBody(model_id, seq));
    await client.run("/optim_step", { model_id, seq_id: seq + 1, adam_params: { learning_rate: 1 } });
    const weight = String(3 * (step + 1));
    const known = this.#at({ training_run_id: model_id, kind: "weights", name: this.#dice.of(NAMES) });
    const expires = this.#dice.hits(0.25);
    const body = {
      model_id,
      seq_id: seq + 2,
      path: known.place.name,
      overwrite: true,
      user_metadata: { weight },
      ...(expires && { ttl_seconds: TTL_SECONDS }),
    };
    await this.#change("save", known, weight, async () => {
      const endOfSave = (atMs: number) => atMs + TTL_SECONDS * 1000;
      const soon = expires ? endOfSave(Date.now()) : Number.POSITIVE_INFINITY;
      // In doubt: it may end as the one that it replaces, or as itself, whenever it came to be.
      known.end = { fromMs: Math.min(known.end.fromMs, soon), toMs: Number.POSITIVE_INFINITY };
      const outcome = await client.run("/save_weights", body);
      expect(outcome).toMatchObject({ path: uriOf(known.place) });
      known.end = expires ? { fromMs: soon, toMs: endOfSave(Date.now()) } : NEVER;
    });
  }

  async #changeAny(client: TestClient): Promise<void> {
    const free = [...this.#known.values()].filter(
      (known) => !this.#busy.has(known) && known.states.length === 1 && known.states[0] !== ABSENT,
    );
    const known = free[this.#dice.below(free.length)];
    const [state] = known?.states ?? [];
    if (known === undefined || state === undefined || known.end !== NEVER) return;
    const { training_run_id: run, kind, name } = known.place;
    const path = `/training_runs/${run}/checkpoints/${kind}/${name}`;
    const [weight = ""] = state.split(",");
    const isPublic = state !== weight;
    const call = async (method: string, address: string) => {
      const { status } = await client.fetch(method, address);
      expect([200, 204], `${method} ${address}`).toContain(status);
    };
    if (this.#dice.hits(0.25)) await this.#copy(client, known, state);
    else if (this.#dice.hits(0.5)) await this.#change("delete", known, ABSENT, () => call("DELETE", path));
    else {
      await this.#change(isPublic ? "unpublish" : "publish", known, stateOf(weight, !isPublic), () =>
        call(isPublic ? "DELETE" : "POST", `${path}/publish`),
      );
    }
  }

  /** A copy has a run of its own, whose id only the answer tells: one that was made and not acknowledged is unknown. */
  async #copy(client: TestClient, source: Known, state: State): Promise<void> {
    this.#busy.add(source);
    const body = { source_path: uriOf(source.place), destination_project_id: "p" };
    const { status, body: answer } = await client.post("/copy_weights", body);
    expect(status, JSON.stringify(answer)).toBe(200);
    const path = String(answer.tinker_path);
    const [weight = ""] = state.split(",");
    this.#at(placeOf(path)).states = [weight];
    this.tally.copy = (this.tally.copy ?? 0) + 1;
    this.#busy.delete(source);
  }

  /** Makes a change that is in doubt until it is acknowledged. */
  async #change(kind: string, known: Known, to: State, make: () => Promise<void>): Promise<void> {
    this.#busy.add(known);
    known.states = [...known.states, to];
    await make();
    known.states = [to];
    this.tally[kind] = (this.tally[kind] ?? 0) + 1;
    this.#busy.delete(known);
  }

  #at(place: CheckpointPlace): Known {
    const path = uriOf(place);
    const known = this.#known.get(path) ?? {
      place,
      states: [ABSENT],
      end: NEVER,
    };
    this.#known.set(path, known);
    return known;
  }
}

function uriOf({ training_run_id: run, kind, name }: CheckpointPlace): string {
  return `tinker://${run}/${kind}/${name}`;
}

/** The place of a checkpoint for training, which all of these are. */
function placeOf(path: string): CheckpointPlace {
  const [run = "", , name = ""] = path.slice("tinker://".length).split("/");
  return { training_run_id: run, kind: "weights", name };
}

interface Shown {
  readonly state: State;
  readonly endMs: number | undefined;
}

async function shownStates(client: TestClient): Promise<Map<string, Shown>> {
  const shown = new Map<string, Shown>();
  for (let offset = 0; ; offset += 1000) {
    const { body } = await client.get(`/checkpoints?limit=1000&offset=${offset}`);
    const checkpoints = body.checkpoints as readonly {
      readonly tinker_path: string;
      readonly public: boolean;
      readonly expires_at?: string;
      readonly user_metadata?: { readonly weight?: string };
    }[];
    for (const { tinker_path, public: isPublic, user_metadata, expires_at: end } of checkpoints) {
      const endMs = typeof end === "string" ? Date.parse(end) : undefined;
      shown.set(tinker_path, { state: stateOf(user_metadata?.weight ?? "", isPublic), endMs });
    }
    if (checkpoints.length < 1000) return shown;
  }
}
