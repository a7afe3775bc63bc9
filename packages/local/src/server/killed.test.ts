import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { DataLayout } from "../disk/data-layout.js";
import { Dice } from "../testing/fuzz/dice.js";
import { KillWork } from "../testing/kill-work.js";
import { ServerProcess } from "../testing/server-process.js";
import { TestServer } from "../testing/test-server.js";

/** Number of servers that are killed: TINKEX_KILLS=200 for the campaign. */
const kills = Number(process.env.TINKEX_KILLS ?? 1);
const seed = Number(process.env.TINKEX_KILL_SEED ?? 1);

const LANES = 4;
/** Longest life of a server, in which some of its checkpoints expire. */
const MAX_LIFE_MS = 1_300;

describe("a server that is killed while it saves, deletes, publishes, copies and lets expire", () => {
  it(
    "has kept every checkpoint that it acknowledged as it was, and none that it deleted",
    async () => {
      const dice = new Dice(seed, "kills");
      const dataDirectory = temporaryDirectory();
      const work = new KillWork(dice);
      for (let kill = 0; kill < kills; kill += 1) {
        const server = await ServerProcess.on(dataDirectory);
        const before = work.acknowledged;
        const lanes = Promise.all(Array.from({ length: LANES }, () => work.run(server.client())));
        const lifeMs = dice.hits(0.3) ? 800 + dice.below(MAX_LIFE_MS - 800) : 50 + dice.below(600);
        const begun = expect.poll(() => work.acknowledged, { timeout: 30_000 }).toBeGreaterThan(before);
        await Promise.race([begun, lanes]);
        // Real time, as the moment of the kill is to be any.
        await new Promise((resolve) => setTimeout(resolve, lifeMs));
        await server.end("SIGKILL");
        await lanes;
        const next = await TestServer.start({ dataDirectory });
        await work.check(next, `kill ${kill}, seed ${seed}`, (place) =>
          readFile(join(new DataLayout(dataDirectory).checkpoint(place), "adapter.json"), "utf8"),
        );
        await next.running.close();
        expect(await unfinishedIn(dataDirectory)).toEqual([]);
      }
      console.log(`${kills} servers killed, seed ${seed}: ${JSON.stringify(work.tally)}`);
    },
    60_000 + kills * 60_000,
  );
});

/** Files of saves, deletions and records that are under way. */
async function unfinishedIn(dataDirectory: string): Promise<string[]> {
  const paths = await readdir(join(dataDirectory, "runs"), { recursive: true });
  return paths.filter((path) => /(?:^|[\\/])(?:staging|retired)[\\/]|\.part$/.test(path));
}
