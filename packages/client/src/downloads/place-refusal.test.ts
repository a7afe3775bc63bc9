import { tmpdir } from "node:os";
import { join } from "node:path";
import { TinkexError, ValidationError } from "@tinkex/base";
import { answer, HostileServer } from "@tinkex-tooling/hostile-server";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { openService } from "../testing/open-service.js";
import { placeRefusal } from "./place-refusal.js";

const EXPORT = "tinker://run/external_weights/a";
const URLS = "training_runs/run/checkpoints/external_weights/a/external_weights_urls";

/** A service with an export of one file. */
async function withExport() {
  const { service, stub } = await openService();
  const storage = await HostileServer.play(answer(200, "{}"));
  onTestFinished(() => storage[Symbol.asyncDispose]());
  const urls = { "adapter_config.json": `${storage.url}/file?sig=secret` };
  stub.on(URLS, () => ({ body: { urls, expires: "2099-01-01T00:00:00Z" } }));
  return service;
}

const failureOf = (attempt: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(attempt).then(
    () => expect.unreachable("it was written"),
    (error: unknown) => error,
  );

const errorOf = (code: string): Error => Object.assign(new Error(`${code}: refused`), { code });

describe("a directory that cannot be written", () => {
  // Windows has no such folder of its own, and no such limit.
  it.skipIf(process.platform === "win32").each([
    // A file system that nobody makes folders in; where there is none, the root, which is not everybody's.
    ["in a place of the system's own", () => "/proc/tinkex/adapter", /; give a directory in a place that /],
    ["with too long a name", () => join(tmpdir(), "x".repeat(300)), /; give one with a shorter name$/],
  ])("%s is named with the remedy, and the cause is kept", async (_, directory, remedy) => {
    const service = await withExport();
    const error = await failureOf(service.rest.downloadCheckpoint(EXPORT, directory()));
    expect(error).toBeInstanceOf(ValidationError);
    expect(error).toMatchObject({
      code: "validation_failed",
      path: ["directory"],
      message: expect.stringMatching(/^downloadCheckpoint: directory ".*" cannot be written \(E[A-Z]+: /),
      cause: { code: expect.stringMatching(/^E/) },
    });
    expect(error).toMatchObject({ message: expect.stringMatching(remedy) });
  });

  it.each(["EACCES", "EPERM", "EROFS", "ENOENT", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENOSPC", "EDQUOT"])(
    "is told from the server's faults by %s",
    (code) => {
      const cause = errorOf(code);
      expect(placeRefusal("downloadCheckpoint", "/a", cause)).toMatchObject({ path: ["directory"], cause });
    },
  );

  it.each([errorOf("ECONNRESET"), errorOf("toString"), new TinkexError("x", { code: "closed" }), "text"])(
    "is not what anything else is taken for: %s",
    (error) => {
      expect(placeRefusal("downloadCheckpoint", "/a", error)).toBe(error);
    },
  );

  it("is not what the caller's onProgress fails at", async () => {
    const directory = join(temporaryDirectory(), "adapter");
    const own = errorOf("EACCES");
    const onProgress = (): void => {
      throw own;
    };
    const service = await withExport();
    expect(await failureOf(service.rest.downloadCheckpoint(EXPORT, directory, { onProgress }))).toBe(own);
  });
});
