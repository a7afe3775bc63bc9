import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { fromHub, loadTokenizer } from "@tinkex/tokenizer/node";
import { temporaryDirectory } from "@tinkex-tooling/testing";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../testing/scripted-engine.js";
import { TestServer, type TestServerOptions } from "../testing/test-server.js";

const directory = fileURLToPath(new URL("../../models/pocket-1", import.meta.url));
const serve = (options: TestServerOptions = {}) =>
  TestServer.start({ engine: new ScriptedEngine({ name: "tinkex/pocket-1", directory }), ...options });

describe("the hub's routes of a server", () => {
  it("give a served model's files, and say what there is", async () => {
    const { url } = await serve();
    const file = `${url}/tinkex/pocket-1/resolve/main/tokenizer.json`;
    const text = await readFile(join(directory, "tokenizer.json"), "utf8");
    const head = await fetch(file, { method: "HEAD" });
    expect(head.status).toBe(200);
    expect(Number(head.headers.get("content-length"))).toBe(Buffer.byteLength(text));
    expect(head.headers.get("etag")).toBeTruthy();
    const whole = await fetch(file);
    expect(await whole.text()).toBe(text);
    const info = await (await fetch(`${url}/api/models/tinkex/pocket-1`)).json();
    expect(info).toMatchObject({ id: "tinkex/pocket-1", sha: whole.headers.get("x-repo-commit") });
    expect(JSON.stringify(info)).toContain("tokenizer.json");
    const tree = await (await fetch(`${url}/api/models/tinkex/pocket-1/tree/main`)).json();
    expect(tree).toContainEqual({
      type: "file",
      path: "tokenizer.json",
      size: Buffer.byteLength(text),
      oid: expect.stringMatching(/^[0-9a-f]{40}$/),
    });
  });

  it.each(["links to files", "links as the hub's own cache has them"])(
    "give the files of a model whose directory has %s",
    async (kind) => {
      const root = temporaryDirectory();
      const linked = join(root, "snapshots", "0123");
      const blobs = kind === "links to files" ? directory : join(root, "blobs");
      if (blobs !== directory) await cp(directory, blobs, { recursive: true });
      await mkdir(linked, { recursive: true });
      for (const name of await readdir(directory)) {
        const target = join(blobs, name);
        await symlink(blobs === directory ? target : relative(linked, target), join(linked, name));
      }
      await symlink(join(root, "nowhere"), join(linked, "gone.json"));
      await symlink(root, join(linked, "folder"));
      const engine = new ScriptedEngine({ name: "tinkex/pocket-1", directory: linked });
      const { url } = await TestServer.start({ engine });
      const { url: plainUrl } = await serve();
      const namesOf = async (base: string): Promise<unknown> =>
        ((await (await fetch(`${base}/api/models/tinkex/pocket-1`)).json()) as { siblings: unknown })
          .siblings;
      expect(await namesOf(url)).toEqual(await namesOf(plainUrl));
      const text = await readFile(join(directory, "tokenizer.json"), "utf8");
      for (const method of ["GET", "HEAD"]) {
        const file = await fetch(`${url}/tinkex/pocket-1/resolve/main/tokenizer.json`, { method });
        expect(file.status).toBe(200);
        expect(Number(file.headers.get("content-length"))).toBe(Buffer.byteLength(text));
        expect(await file.text()).toBe(method === "GET" ? text : "");
      }
      for (const name of ["gone.json", "folder"]) {
        const missing = await fetch(`${url}/tinkex/pocket-1/resolve/main/${name}`);
        expect(missing.status).toBe(404);
        expect(missing.headers.get("x-error-code")).toBe("EntryNotFound");
      }
    },
  );

  it.each([
    ["tinkex/pocket-1/resolve/main/../../package.json", 404],
    ["tinkex/pocket-1/resolve/main/..%2F..%2Fpackage.json", 404],
    ["tinkex/pocket-1/resolve/main/none.json", 404],
    ["acme/other/resolve/main/tokenizer.json", 404],
    ["api/models/acme/other", 404],
  ])("have nothing at %s", async (path, status) => {
    const { url } = await serve();
    const response = await fetch(`${url}/${path}`);
    expect(response.status).toBe(status);
    expect(await response.text()).not.toContain("dependencies");
  });

  it.each([
    ["a part behind the end", { range: "bytes=999999999-" }, 416],
    ["a file that has changed", { "if-match": '"another"' }, 412],
  ])("refuse %s with a detail, as everything is refused", async (_, headers, status) => {
    const { url } = await serve();
    const response = await fetch(`${url}/tinkex/pocket-1/resolve/main/config.json`, { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ detail: expect.stringContaining("config.json") });
  });

  it("keep hidden files to themselves, and do not list them either", async () => {
    const hidden = temporaryDirectory();
    await cp(directory, hidden, { recursive: true });
    await writeFile(join(hidden, ".env"), "SECRET=1");
    const { url } = await TestServer.start({
      engine: new ScriptedEngine({ name: "tinkex/pocket-1", directory: hidden }),
    });
    expect(await (await fetch(`${url}/api/models/tinkex/pocket-1`)).text()).not.toContain(".env");
    const response = await fetch(`${url}/tinkex/pocket-1/resolve/main/.env`);
    expect([response.status, response.headers.get("x-error-code")]).toEqual([404, "EntryNotFound"]);
    expect(await response.json()).toEqual({ detail: expect.any(String) });
  });

  it("give our own tokenizers a model by its name, also one that another stands in for", async () => {
    const { url } = await serve({ standIn: true });
    const source = fromHub({ endpoint: url, cacheDirectory: temporaryDirectory(), env: {} });
    const own = await loadTokenizer(directory);
    for (const name of ["tinkex/pocket-1", "acme/large"]) {
      const tokenizer = await source({ id: name });
      expect(tokenizer.encode("Teach me")).toEqual(own.encode("Teach me"));
    }
  });

  it("ask for the key as a bearer token where the server has one", async () => {
    const { url } = await serve({ apiKey: "tml-secret" });
    const file = `${url}/tinkex/pocket-1/resolve/main/config.json`;
    expect((await fetch(file)).status).toBe(401);
    expect((await fetch(file, { headers: { authorization: "Bearer tml-secret" } })).status).toBe(200);
  });
});
