import { renameSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, silentLogger, systemClock, ValidationError } from "@tinkex/base";
import { FakeClock } from "@tinkex/base/testing";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { lockDirectory } from "./lock-directory.js";
import type { ProcessIdentity, ProcessTable } from "./process-table.js";

/** A process of the container `web`, with all that Linux tells of one. */
const first: ProcessIdentity = {
  host: "web",
  bootId: "boot-1",
  pidNamespace: "pid:[1]",
  pid: 7,
  startedAt: "100",
};

/** The view of a process, to which the others in `running` are neighbours. */
function seenBy(self: ProcessIdentity, ...running: readonly ProcessIdentity[]): ProcessTable {
  return { self, lookUp: (pid) => running.find((process) => process.pid === pid) ?? "gone" };
}

const alone = (self: ProcessIdentity) => seenBy(self, self);

async function lock(
  folder: string,
  processes: ProcessTable,
  clock: Clock = new FakeClock({ startMs: 1_800_000_000_000 }),
) {
  const held = await lockDirectory(folder, "data", { clock, logger: silentLogger, processes });
  onTestFinished(() => held.release());
  return held;
}

async function refusal(folder: string, processes: ProcessTable, clock?: Clock): Promise<ValidationError> {
  const error = await lock(folder, processes, clock).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ValidationError);
  return error as ValidationError;
}

/** Lets time pass in steps of a second, until `promise` has settled. */
async function withTime<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  settled.catch(() => {});
  while (!isSettled) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (clock.sleeping > 0) await clock.advance(1000);
  }
  return settled;
}

describe("lockDirectory", () => {
  it("refuses a second server and names the first: address, process, host and since when", async () => {
    const folder = temporaryDirectory();
    const held = await lock(folder, alone(first));
    const second = seenBy({ ...first, pid: 8, startedAt: "200" }, first);
    const starting = await refusal(folder, second);
    expect(starting.message).toBe(
      'startLocalServer: dataDirectory "data" is in use by a server that is starting (process 7 on host "web", ' +
        "since 2027-01-15T08:00:00.000Z): close that one first, or name another directory",
    );
    expect(starting.path).toEqual(["dataDirectory"]);
    await held.announce("http://127.0.0.1:4000");
    expect((await refusal(folder, second)).message).toContain(
      "in use by the server at http://127.0.0.1:4000 (process 7",
    );
  });

  it("is free again after its release, however often it changes hands", async () => {
    const folder = temporaryDirectory();
    for (let turn = 0; turn < 5; turn++) {
      const held = await lock(folder, alone(first));
      await held.release();
      await held.release();
      expect(await readdir(folder)).toHaveLength(1);
    }
  });

  it("refuses the same process too", async () => {
    const folder = temporaryDirectory();
    await lock(folder, alone(first));
    expect((await refusal(folder, alone(first))).message).toContain("process 7");
  });

  it.each([
    ["that ended", seenBy({ ...first, pid: 8, startedAt: "200" })],
    ["whose id another process has got", seenBy({ ...first, pid: 8 }, { ...first, startedAt: "150" })],
    [
      "whose id this process has got, as every start in a container is 1",
      alone({ ...first, startedAt: "300" }),
    ],
  ])("takes over at once from a process of this machine %s", async (_, processes) => {
    const folder = temporaryDirectory();
    await lock(folder, alone(first));
    await lock(folder, processes);
    expect(await readdir(folder)).toEqual(["2.json"]);
    expect(JSON.parse(await readFile(join(folder, "2.json"), "utf8"))).toMatchObject({
      owner: processes.self,
    });
  });

  const strangers: readonly (readonly [string, ProcessIdentity])[] = [
    ["another container", { ...first, pidNamespace: "pid:[2]", startedAt: "200" }],
    ["another host", { ...first, host: "other" }],
    ["another boot, or a machine of the same name", { ...first, bootId: "boot-2" }],
    ["a system that tells no start times, where the id may have gone to another", { host: "web", pid: 7 }],
  ];

  it.each(strangers)("takes the heartbeat for a sign of life: %s", async (_, stranger) => {
    const folder = temporaryDirectory();
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    await lock(folder, alone(first), clock);
    for (let minute = 0; minute < 3; minute++) {
      for (let second = 0; second < 60; second += 5) await beat(clock, folder);
      const { message } = await refusal(folder, alone(stranger), clock);
      expect(message).toMatch(/process 7 on host "web".*\(if it is gone, start again in 30 s\)/);
    }
  });

  it.each(strangers)("takes over when the heartbeat has stopped: %s", async (_, stranger) => {
    const folder = temporaryDirectory();
    await lock(folder, alone(first), new FakeClock({ startMs: 1_800_000_000_000 }));
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    await clock.advance(30_001);
    await withTime(clock, lock(folder, alone(stranger), clock));
    expect(await readdir(folder)).toEqual(["2.json"]);
  });

  it.each([
    ["late", 3_600_000],
    ["early", -3_600_000],
  ])("does not take a clock that is %s for a heartbeat that has stopped", async (_, skewMs) => {
    const folder = temporaryDirectory();
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    await lock(folder, alone(first), clock);
    const skewed: Clock = {
      now: () => clock.now() + skewMs,
      monotonic: () => clock.monotonic(),
      // The holder's heart beats meanwhile.
      sleep: async (ms, signal, options) => {
        if (options?.background === true) return clock.sleep(ms, signal, options);
        for (let passed = 0; passed < ms; passed += 5000) await beat(clock, folder);
      },
    };
    expect((await refusal(folder, alone({ ...first, host: "other" }), skewed)).message).toContain(
      "process 7",
    );
  });

  it("tells a holder that stood still that it has lost the directory, and takes nothing from its successor", async () => {
    const folder = temporaryDirectory();
    const [slow, clock] = [new FakeClock({ startMs: 1_800_000_000_000 }), new FakeClock()];
    const held = await lock(folder, alone(first), slow);
    await clock.advance(60_000);
    const successor = await withTime(clock, lock(folder, alone({ ...first, host: "other" }), clock));
    expect(held.lost.aborted).toBe(false);
    await slow.advance(5000);
    await expect.poll(() => held.lost.aborted).toBe(true);
    expect(held.lost.reason).toMatch(/in use by a server that is starting \(process 7 on host "other"/);
    await held.release();
    expect(await readdir(folder)).toEqual(["2.json"]);
    expect(successor.lost.aborted).toBe(false);
  });

  it("tells its holder when its files were removed", async () => {
    const folder = temporaryDirectory();
    const clock = new FakeClock({ startMs: 1_800_000_000_000 });
    const held = await lock(folder, alone(first), clock);
    await rm(folder, { recursive: true });
    await clock.advance(5000);
    await expect.poll(() => held.lost.reason).toBe("its lock was removed");
    await held.release();
  });

  it.each(["", "{", "null", "{}", '{"owner":{"pid":"7"}}', '{"id":1,"url":"\u001b[2J"}'])(
    "waits for the writer of a lock that cannot be read, and takes over when there is none: %j",
    async (text) => {
      const folder = temporaryDirectory();
      const clock = new FakeClock({ startMs: 1_800_000_000_000 });
      await writeFile(join(folder, "4.json"), text);
      await utimes(join(folder, "4.json"), clock.now() / 1000, clock.now() / 1000);
      const { message } = await refusal(folder, alone(first), clock);
      expect(message).toContain("a server whose lock cannot be read");
      await clock.advance(30_001);
      await withTime(clock, lock(folder, alone(first), clock));
      expect(await readFile(join(folder, "4.json"), "utf8")).toBe(text);
      expect(await readdir(folder)).toEqual(["4.json", "5.json"]);
    },
  );

  it("leaves alone what else lies in its folder", async () => {
    const folder = temporaryDirectory();
    for (const name of ["notes.txt", "07.json", "1.txt", "-3.json", `${"9".repeat(30)}.json`]) {
      await writeFile(join(folder, name), "mine");
    }
    await mkdir(join(folder, "2"));
    const before = await readdir(folder);
    const held = await lock(folder, alone(first));
    await held.release();
    expect(await readdir(folder)).toEqual(expect.arrayContaining(before));
    expect(await readdir(folder)).toHaveLength(before.length + 1);
  });

  /** A table that runs `action` between our look at the last turn, whose holder is dead, and our step to the next one. */
  function meanwhile(action: () => void): ProcessTable {
    let isFirst = true;
    const lookUp = (pid: number) => {
      if (isFirst) action();
      isFirst = false;
      return pid === 8 ? { ...first, pid } : ("gone" as const);
    };
    return { self: { ...first, pid: 9 }, lookUp };
  }

  it("steps back when others have gone several turns further than it saw", async () => {
    const folder = temporaryDirectory();
    await lock(folder, alone(first));
    const taken = (await readFile(join(folder, "1.json"), "utf8")).replace('"pid": 7', '"pid": 8');
    const processes = meanwhile(() => {
      rmSync(join(folder, "1.json"));
      writeFileSync(join(folder, "3.json"), taken);
    });
    expect((await refusal(folder, processes)).message).toContain("process 8");
    expect(await readdir(folder)).toEqual(["3.json"]);
  });

  it("goes on from a turn that was taken and given back meanwhile", async () => {
    const folder = temporaryDirectory();
    await lock(folder, alone(first));
    const processes = meanwhile(() => renameSync(join(folder, "1.json"), join(folder, "2.free")));
    await lock(folder, processes);
    expect(await readdir(folder)).toEqual(["3.json"]);
  });

  it("lets one of many win that find the same holder dead", async () => {
    for (let round = 0; round < 20; round++) {
      const folder = temporaryDirectory();
      await (await lock(folder, alone({ ...first, pid: 99 }))).announce("http://dead");
      const racers = Array.from({ length: 12 }, (_, index) => ({ ...first, pid: 100 + index }));
      const outcomes = await Promise.allSettled(
        racers.map((racer) => lock(folder, seenBy(racer, ...racers), systemClock)),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes) {
        if (outcome.status === "rejected") expect(outcome.reason).toBeInstanceOf(ValidationError);
      }
    }
  });

  it("never has two holders while servers come, go and die", async () => {
    const folder = temporaryDirectory();
    const alive = new Map<number, ProcessIdentity>();
    const table = (self: ProcessIdentity): ProcessTable => ({
      self,
      lookUp: (pid) => alive.get(pid) ?? "gone",
    });
    let holders = 0;
    let turns = 0;
    const live = async (worker: number) => {
      // On a busy machine few of them come to hold it: then there are more.
      for (let life = 0; life < 40 || (turns <= 5 && life < 400); life++) {
        const self = { ...first, pid: 1000 * (worker + 1) + life };
        alive.set(self.pid, self);
        const held = await lock(folder, table(self), systemClock).catch(() => undefined);
        if (held !== undefined) {
          holders += 1;
          turns += 1;
          expect(holders).toBe(1);
          await new Promise((resolve) => setTimeout(resolve, 1));
          holders -= 1;
          if (life % 2 === 0) await held.release();
        }
        alive.delete(self.pid);
        await new Promise(setImmediate);
      }
    };
    await Promise.all([0, 1, 2, 3, 4].map(live));
    expect(turns).toBeGreaterThan(5);
  });
});

/** Lets five seconds pass and waits until the holder's heartbeat shows it. */
async function beat(clock: FakeClock, folder: string): Promise<void> {
  await expect.poll(() => clock.sleepingInBackground, { interval: 1 }).toBe(1);
  await clock.advance(5000);
  await expect
    .poll(async () => Math.round((await stat(join(folder, "1.json"))).mtimeMs), { interval: 1 })
    .toBe(clock.now());
}
