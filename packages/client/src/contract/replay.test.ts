import { expect, it } from "vitest";
import { isAt, isOfKind } from "./difference.js";
import { DIFFERENCES } from "./differences.js";
import { type RecordedVersion, type Recording, readRecording } from "./recording.js";
import { type Found, type Replay, replay } from "./replay.js";

/** Scenarios by the versions that have them: all but telemetry, which we have none of, and REST, which `rest/` replays. */
const RECORDINGS: Readonly<Record<string, readonly RecordedVersion[]>> = {
  "canonical-flow": ["0.4.1", "0.25.0", "0.38.0"],
  "chunked-pipeline": ["0.4.1", "0.25.0", "0.38.0"],
  losses: ["0.4.1", "0.25.0", "0.38.0"],
  "custom-loss": ["0.4.1", "0.25.0", "0.38.0"],
  sampling: ["0.4.1", "0.25.0", "0.38.0"],
  "future-polling": ["0.4.1", "0.25.0", "0.38.0"],
  errors: ["0.4.1", "0.25.0", "0.38.0"],
  "retry-timing": ["0.4.1", "0.25.0", "0.38.0"],
  session: ["0.4.1", "0.25.0", "0.38.0"],
  "auth-jwt": ["0.25.0", "0.38.0"],
  "batch-futures": ["0.38.0"],
  "training-extras": ["0.38.0"],
};
const ALL = Object.entries(RECORDINGS).flatMap(([scenario, versions]) =>
  versions.map((version) => [scenario, version] as const),
);
const unseen = new Set(DIFFERENCES);
const replays = new Map<string, Promise<Replay>>();

/** Replays a recording once, for all tests. */
function replayed(recording: Recording): Promise<Replay> {
  const name = `${recording.scenario} ${recording.version}`;
  const one = replays.get(name) ?? replay(recording);
  replays.set(name, one);
  return one;
}

it.each(ALL)(
  "clients 95, newest-clients 42: the calls of %s %s send its requests and give its results, but for the listed differences",
  async (scenario, version) => {
    const { found } = await replayed(readRecording(scenario, version));
    const unlisted = found.filter(({ kind, step, what }) => {
      const listed = DIFFERENCES.filter(
        (one) => isOfKind(one, kind) && one.what === what && isAt(one, [scenario, version, step]),
      );
      for (const one of listed) unseen.delete(one);
      return listed.length === 0;
    });
    expect(unlisted.map(shown)).toEqual([]);
  },
);

it("every listed difference occurs", () => {
  expect([...unseen]).toEqual([]);
});

it.each(["0.4.1", "0.25.0", "0.38.0"] as const)(
  "the operations of canonical-flow %s go out in the recorded order",
  async (version) => {
    const recording = readRecording("canonical-flow", version);
    const { arrived } = await replayed(recording);
    const operations = (paths: readonly string[]) => paths.filter((path) => OPERATIONS.test(path));
    // Before the service says that it cannot, a model is made by loading.
    const made = arrived.filter(({ body }) => version === "0.38.0" || !isMadeByLoading(body));
    expect(operations(made.map(({ path }) => path))).toEqual(
      operations(recording.exchanges.map(({ request }) => request.path)),
    );
  },
);

it("newest-clients 2: every sample fetched from the poll for all of them is reported once, as in the recording", async () => {
  const recording = readRecording("batch-futures", "0.38.0");
  const { arrived } = await replayed(recording);
  const ours = arrived.map(({ path, body }) => reportedIn(path, body.toString("utf8")));
  expect(ours.flat().sort()).toEqual(recordedReports(recording).sort());
});

const OPERATIONS =
  /\/(create_model|forward_backward|forward|optim_step|save_weights|save_weights_for_sampler|asample)$/;

function isMadeByLoading(body: Buffer): boolean {
  return body.includes('"model_seq_id"') && body.includes('"path"');
}

/** Reads the ids of the samples that a poll reports as fetched. */
function reportedIn(path: string, body: string | undefined): string[] {
  return path.endsWith("/retrieve_futures") ? JSON.parse(body ?? "").retrieved_request_ids : [];
}

/** Reads the reports of a recording. */
function recordedReports({ exchanges }: Recording): string[] {
  return exchanges.flatMap(({ request }) => reportedIn(request.path, request.body_text));
}

function shown({ kind, step, what, detail }: Found): string {
  return `${kind} ${step} ${what}: ${detail}`.slice(0, 1000);
}
