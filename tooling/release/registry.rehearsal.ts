import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REPOSITORY } from "../packaging/public-packages.js";
import { run } from "../packaging/run.js";
import { type LocalRegistry, startLocalRegistry } from "./local-registry.js";

describe("the local registry", () => {
  const asked: string[] = [];
  const upstream = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(404, { "content-type": "application/json" }).end("{}");
  });
  let registry: LocalRegistry;

  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const address = upstream.address();
    const port = typeof address === "object" ? address?.port : undefined;
    registry = await startLocalRegistry(
      ["front-door", "@scope/*"],
      `http://127.0.0.1:${port}/`,
      join(REPOSITORY, ".cache", "release", "registry-test"),
    );
  });
  afterAll(async () => {
    await registry.close();
    upstream.close();
  });

  it("asks the other registry for packages of others, and never for ours", async () => {
    const view = (name: string) =>
      run("npm", ["view", name, "version"], { cwd: REPOSITORY, env: registry.npmEnv });
    const answers = await Promise.all(["front-door", "@scope/base", "of-others"].map(view));
    expect(answers.filter(({ output }) => !output.includes("E404"))).toEqual([]);
    expect(asked).toEqual(["/of-others"]);
  });

  it("listens on this machine alone", () => {
    expect(new URL(registry.url).hostname).toBe("127.0.0.1");
  });
});
