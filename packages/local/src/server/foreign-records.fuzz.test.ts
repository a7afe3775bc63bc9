import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@tinkex/base";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TestServer } from "../testing/test-server.js";

/** Records per run: a long campaign sets the variable, which counts requests; each record is asked for in eight ways. */
const cases = Math.ceil(Number(process.env.FUZZ_CASES ?? 320) / 8);
const seed = Number(process.env.FUZZ_SEED ?? 1);

const outsideNames = [
  "../../../../elsewhere",
  "..",
  ".",
  "../b",
  "b",
  "/",
  "",
  "a/../../b",
  "elsewhere",
  "A",
  "\0",
  "a\u0000",
];
const dates = ["2020-01-02T00:00:00Z", "garbage", "", "1", "2999-01-01T00:00:00Z", "0000-00-00T00:00:00Z"];
const anything = fc.jsonValue();

/** Fields that take a valid record's place. */
const changes = fc.record(
  {
    training_run_id: fc.oneof(fc.constantFrom(...outsideNames), anything),
    kind: fc.oneof(fc.constantFrom("weights", "sampler_weights", ...outsideNames), anything),
    name: fc.oneof(fc.constantFrom(...outsideNames), anything),
    base_model: fc.oneof(fc.constant("test/other"), anything),
    shape: anything,
    size_bytes: anything,
    has_optimizer: anything,
    user_metadata: fc.oneof(fc.dictionary(fc.string(), fc.string()), anything),
    created_at: fc.oneof(fc.constantFrom(...dates), anything),
    expires_at: fc.oneof(fc.constantFrom(...dates), fc.double(), anything),
    session_id: anything,
  },
  { requiredKeys: [] },
);

/** Makes the text of a file out of a record's valid text. */
const mutation: fc.Arbitrary<(text: string) => string> = fc.oneof(
  {
    weight: 4,
    arbitrary: changes.map((change) => (text: string) => JSON.stringify({ ...JSON.parse(text), ...change })),
  },
  { weight: 1, arbitrary: fc.json().map((json) => () => json) },
  { weight: 1, arbitrary: fc.nat(400).map((length) => (text: string) => text.slice(0, length)) },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }).map((text) => () => text) },
);

/** Content of every file below a folder, but for the lock's. */
async function contentBelow(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")])),
  );
}

describe("records of any content", () => {
  it(
    "never make the server fail, nor touch what is not at their own place",
    async () => {
      const root = temporaryDirectory();
      const dataDirectory = join(root, "data");
      await mkdir(join(root, "elsewhere"));
      await mkdir(dataDirectory);
      await writeFile(join(root, "elsewhere", "photo"), "dear");
      const server = await TestServer.start({ dataDirectory, logger: silentLogger });
      const run = await server.createModel();
      const session_id = await server.createSession();
      const folderOf = (name: string) =>
        join(dataDirectory, "runs", encodeURIComponent(run), "weights", name);
      for (const [index, path] of ["a", "b"].entries()) {
        await server.run("/save_weights", { model_id: run, path, seq_id: index + 1 });
      }
      const read = async (...path: string[]) => readFile(join(...path), "utf8");
      const [record, adapter] = [
        await read(folderOf("a"), "checkpoint.json"),
        await read(folderOf("a"), "adapter.json"),
      ];
      const runFile = join(folderOf("a"), "..", "..", "run.json");
      const runText = await read(runFile);
      const tinker_path = `tinker://${run}/weights/a`;
      let number = 0;

      /** Asks for all that reads records. Returns the statuses. */
      const askAll = async (): Promise<number[]> => {
        number += 1;
        const sampler = { session_id, sampling_session_seq_id: number, model_path: tinker_path };
        const load = { session_id, model_seq_id: number, path: tinker_path, optimizer: false };
        const answers = [
          await server.get("/checkpoints"),
          await server.get("/training_runs"),
          await server.get(`/training_runs/${run}`),
          await server.get(`/training_runs/${run}/checkpoints`),
          await server.post("/weights_info", { tinker_path }),
          await server.post("/create_sampling_session", sampler),
        ];
        const loaded = await server.run("/load_weights", load);
        expect(loaded.category).not.toBe("server");
        const deleted = await server.fetch("DELETE", `/training_runs/${run}/checkpoints/weights/a`);
        return [...answers.map(({ status }) => status), deleted.status];
      };

      const property = fc.asyncProperty(
        mutation,
        mutation,
        fc.boolean(),
        async (mutate, mutateRun, isRunMutated) => {
          await mkdir(folderOf("a"), { recursive: true });
          await writeFile(join(folderOf("a"), "adapter.json"), adapter);
          await writeFile(join(folderOf("a"), "checkpoint.json"), mutate(record));
          await writeFile(runFile, isRunMutated ? mutateRun(runText) : runText);
          const before = await contentBelow(root);
          const statuses = await askAll();
          expect(statuses.filter((status) => status >= 500)).toEqual([]);
          const after = await contentBelow(root);
          for (const [file, content] of Object.entries(before)) {
            // The checkpoint itself may be deleted, or have expired.
            const isItsPlace = file.startsWith(join(folderOf("a"), "/"));
            if (!isItsPlace) expect(after[file], file).toBe(content);
          }
          // The run of the load would make every later listing longer.
          const loadedRun = encodeURIComponent(`${session_id}:train:${number}`);
          await rm(join(dataDirectory, "runs", loadedRun), { recursive: true, force: true });
        },
      );
      await fc.assert(property, { numRuns: cases, seed });
    },
    60_000 + cases * 500,
  );
});
