import { execFile } from "node:child_process";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { FakeClock } from "@tinkex/base/testing";
import { sourceProgram } from "@tinkex-tooling/source-program";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { failureOf } from "../testing/test-transport.js";
import { CredentialError } from "./credential-error.js";
import { withCredentialLock } from "./credential-lock.js";
import {
  credentialStorePath,
  readCredentialStore,
  readStoredKey,
  removeStoredKey,
  type StoredKey,
  storeKey,
} from "./credential-store.js";

const manual = (key: string): StoredKey => ({ type: "manual", key, name: "mine" });

/** A home whose store holds a text, of a mode. */
async function homeWith(content: string, mode = 0o600): Promise<string> {
  const home = temporaryDirectory();
  await mkdir(join(home, ".tinker"), { mode: 0o700 });
  await writeFile(credentialStorePath(home), content);
  await chmod(credentialStorePath(home), mode);
  return home;
}
const ONE_KEY = JSON.stringify({ version: 1, default: "7", keys: { 7: manual("tml-a") } });

describe("many writers of the credential store", () => {
  it("ten at once keep all ten keys", async () => {
    const home = temporaryDirectory();
    await Promise.all(Array.from({ length: 10 }, (_, i) => storeKey(home, String(i), manual(`tml-${i}`))));
    const { keys } = await readCredentialStore(home);
    expect(Object.values(keys).map(({ key }) => key)).toEqual(
      Array.from({ length: 10 }, (_, i) => `tml-${i}`),
    );
    expect(await readdir(join(home, ".tinker"))).toEqual(["credentials.json"]);
  });

  it("one that takes keys out at the same time loses none of the others", async () => {
    const home = temporaryDirectory();
    for (let i = 0; i < 5; i += 1) await storeKey(home, String(i), manual(`tml-${i}`));
    await Promise.all(
      Array.from({ length: 5 }, (_, i) => [
        removeStoredKey(home, String(i)),
        storeKey(home, String(10 + i), manual(`tml-${10 + i}`)),
      ]).flat(),
    );
    expect(Object.keys((await readCredentialStore(home)).keys)).toEqual(["10", "11", "12", "13", "14"]);
  });

  it("three processes at once keep all their keys", async () => {
    const home = temporaryDirectory();
    const source = `
      import { storeKey } from "./credential-store.ts";
      const [home, first] = process.argv.slice(2);
      for (let i = 0; i < 10; i += 1) {
        await storeKey(home, String(Number(first) + i), { type: "manual", key: "tml-k", name: "n" });
      }`;
    const program = await sourceProgram(source, import.meta.url);
    onTestFinished(() => program.remove());
    await Promise.all(
      ["100", "200", "300"].map((first) =>
        promisify(execFile)(process.execPath, [...program.nodeArguments, home, first], { timeout: 60_000 }),
      ),
    );
    expect(Object.keys((await readCredentialStore(home)).keys)).toHaveLength(30);
  }, 60_000);

  it("whoever reads meanwhile sees a whole store", async () => {
    const home = await homeWith(ONE_KEY);
    const writing = Promise.all(
      Array.from({ length: 10 }, (_, i) => storeKey(home, String(i), manual(`tml-${i}`))),
    );
    let isDone = false;
    const reading = (async () => {
      while (!isDone) expect(await readStoredKey(home)).toMatch(/^tml-/);
    })();
    await writing;
    isDone = true;
    await reading;
  });
});

describe("withCredentialLock", () => {
  const lockOf = (home: string): string => join(home, "lock");

  it("lets one in at a time, and leaves no file", async () => {
    const home = temporaryDirectory();
    const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, () =>
        withCredentialLock(lockOf(home), clock, async () => {
          inside += 1;
          most = Math.max(most, inside);
          await readdir(home);
          inside -= 1;
        }),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(home)).toEqual([]);
  });

  it.each([
    ["now", 0],
    ["long ago", -1e9],
    ["in the far future", 1e9],
  ])("takes over the lock of a process that died, dated %s, after some seconds", async (_, ageSeconds) => {
    const home = temporaryDirectory();
    const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
    await writeFile(lockOf(home), "");
    const at = Date.now() / 1000 + ageSeconds;
    await utimes(lockOf(home), at, at);
    expect(await withCredentialLock(lockOf(home), clock, async () => "done")).toBe("done");
    expect(clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThanOrEqual(5_000);
    expect(await readdir(home)).toEqual([]);
  });

  it("ten who wait for a lock that was left enter one by one", async () => {
    const home = temporaryDirectory();
    await writeFile(lockOf(home), "");
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 10 }, () =>
        withCredentialLock(
          lockOf(home),
          new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }),
          async () => {
            inside += 1;
            most = Math.max(most, inside);
            await readdir(home);
            inside -= 1;
          },
        ),
      ),
    );
    expect(most).toBe(1);
    expect(await readdir(home)).toEqual([]);
  });

  it("tells its holder when another has taken it over, and leaves the other's lock alone", async () => {
    const home = temporaryDirectory();
    await withCredentialLock(
      lockOf(home),
      new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }),
      async (isHeld) => {
        expect(await isHeld()).toBe(true);
        await rm(lockOf(home));
        expect(await isHeld()).toBe(false);
        await writeFile(lockOf(home), "");
        expect(await isHeld()).toBe(false);
      },
    );
    expect(await readdir(home)).toEqual(["lock"]);
  });

  it("a link at its place is neither followed nor written through", async () => {
    const home = temporaryDirectory();
    await writeFile(join(home, "precious"), "precious");
    await symlink(join(home, "precious"), lockOf(home));
    await withCredentialLock(
      lockOf(home),
      new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }),
      async () => {},
    );
    expect(await readFile(join(home, "precious"), "utf8")).toBe("precious");
    expect(await readdir(home)).toEqual(["precious"]);
  });

  it("those who come without end are not waited for without end", async () => {
    const home = temporaryDirectory();
    await writeFile(lockOf(home), "");
    const clock = new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) });
    let changes = 0;
    const sleep = async (ms: number): Promise<void> => {
      await clock.sleep(ms);
      changes += 1;
      await utimes(lockOf(home), changes, changes);
    };
    const waiting = { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep };
    expect((await failureOf(withCredentialLock(lockOf(home), waiting, async () => {}))).message).toContain(
      "held by others for 30000 ms",
    );
    expect(await readdir(home)).toEqual(["lock"]);
  });

  it("a folder at its place is an error, not a wait without end", async () => {
    const home = temporaryDirectory();
    await mkdir(join(lockOf(home), "in the way"), { recursive: true });
    await expect(
      withCredentialLock(
        lockOf(home),
        new FakeClock({ autoAdvance: true, startMs: Date.UTC(2023, 8, 29, 16, 26, 37) }),
        async () => {},
      ),
    ).rejects.toThrow();
    expect(await readdir(lockOf(home))).toEqual(["in the way"]);
  });
});

describe.skipIf(process.platform === "win32")("a credential store that others can read or write", () => {
  it.each([0o644, 0o640, 0o604, 0o660, 0o606, 0o622, 0o610, 0o601, 0o777])(
    "is refused (%o), by all who use it",
    async (mode) => {
      const home = await homeWith(ONE_KEY, mode);
      const uses = [
        () => readStoredKey(home),
        () => readCredentialStore(home),
        () => storeKey(home, "8", manual("tml-b")),
        () => removeStoredKey(home, "7"),
      ];
      for (const use of uses) {
        const error = await failureOf(use());
        expect(error).toBeInstanceOf(CredentialError);
        expect(error.message).toContain(`chmod 600 ${credentialStorePath(home)}`);
        expect(inspect(error, { depth: 10 })).not.toContain("tml-");
      }
      expect(await readFile(credentialStorePath(home), "utf8")).toBe(ONE_KEY);
      expect(await readdir(join(home, ".tinker"))).toEqual(["credentials.json"]);
    },
  );

  it.each([0o600, 0o400, 0o700])("one that is its owner's alone is taken (%o)", async (mode) => {
    expect(await readStoredKey(await homeWith(ONE_KEY, mode))).toBe("tml-a");
  });

  it("stays where a link at its place leads to", async () => {
    const elsewhere = await homeWith(ONE_KEY);
    const home = temporaryDirectory();
    await mkdir(join(home, ".tinker"));
    await symlink(credentialStorePath(elsewhere), credentialStorePath(home));
    await storeKey(home, "8", manual("tml-b"));
    expect((await lstat(credentialStorePath(home))).isSymbolicLink()).toBe(true);
    expect(await readStoredKey(elsewhere)).toBe("tml-b");
    expect((await stat(credentialStorePath(elsewhere))).mode & 0o777).toBe(0o600);
  });

  it("counts by what a link leads to", async () => {
    const open = await homeWith(ONE_KEY, 0o644);
    const home = temporaryDirectory();
    await mkdir(join(home, ".tinker"));
    await symlink(credentialStorePath(open), credentialStorePath(home));
    expect(await failureOf(readStoredKey(home))).toBeInstanceOf(CredentialError);
    await chmod(credentialStorePath(open), 0o600);
    expect(await readStoredKey(home)).toBe("tml-a");
  });
});

describe("a credential store that is none", () => {
  const canary = "tml-canary";
  it.each([
    ["whose id is the key", { version: 1, keys: { [canary]: { type: "manual" } } }],
    ["with a record that is the key", { version: 1, keys: { 7: canary } }],
    ["with a key of another type", { version: 1, keys: { 7: { type: "manual", key: [canary], name: "n" } } }],
    ["of a type that is the key", { version: 1, keys: { 7: { type: canary, key: canary, name: "n" } } }],
    ["whose keys are the key", { version: 1, keys: canary }],
    ["whose version is the key", { version: canary, keys: {} }],
    ["that is the key alone", canary],
  ])("%s is refused without a word of it", async (_, store) => {
    const home = await homeWith(JSON.stringify(store));
    for (const use of [() => readStoredKey(home), () => storeKey(home, "8", manual("tml-b"))]) {
      const error = await failureOf(use());
      expect(error).toBeInstanceOf(CredentialError);
      expect(error.message).toContain(credentialStorePath(home));
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
    }
  });

  it("a key given where its id belongs is not shown", async () => {
    const error = await failureOf(storeKey(temporaryDirectory(), canary, manual(canary)));
    expect(error.code).toBe("validation_failed");
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain("canary");
  });

  it("one that never ends, or that nobody writes to, is refused at once", async () => {
    for (const place of ["/dev/zero", "fifo"]) {
      const home = temporaryDirectory();
      await mkdir(join(home, ".tinker"));
      if (place === "fifo") await promisify(execFile)("mkfifo", ["-m", "600", credentialStorePath(home)]);
      else await symlink(place, credentialStorePath(home));
      expect(await failureOf(readStoredKey(home))).toBeInstanceOf(CredentialError);
    }
  });

  it("one that is much longer than a store is refused unread", async () => {
    const home = await homeWith(`${ONE_KEY}${" ".repeat(2 ** 20)}`);
    expect((await failureOf(readStoredKey(home))).message).toMatch(/more than \d+ bytes/);
  });

  it("a second name of the store keeps what it had when the store is written", async () => {
    const home = await homeWith(ONE_KEY);
    await link(credentialStorePath(home), join(home, "backup"));
    await storeKey(home, "8", manual("tml-b"));
    expect(await readFile(join(home, "backup"), "utf8")).toBe(ONE_KEY);
  });
});
