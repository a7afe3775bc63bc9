/** A runtime other than Node, from its npm package, that runs the SDK from packed tarballs. */
export interface Runtime {
  readonly name: string;
  /** Packages of the registry that it needs. */
  readonly packages: readonly string[];
  /** Its own files, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** Install scripts that put a program in its place; npm runs them only where it is allowed to. */
  readonly setup: readonly string[];
  /** Arguments of `npx` that make a bundle, where there is one. */
  readonly build?: readonly string[];
  /** Arguments of `npx` that run the program. */
  readonly run: readonly string[];
}

const WORKER = `import { trainAndSample } from "./program.js";
export default {
  async fetch(_, env) {
    for (const [name, value] of Object.entries(env)) process.env[name] = value;
    return Response.json(await trainAndSample(env.OWN_FETCH === "yes" ? { fetch } : {}));
  },
};
`;

function miniflare(ownFetch: "yes" | "no"): string {
  return `import { Miniflare } from "miniflare";
const { TINKER_BASE_URL, TINKER_API_KEY } = process.env;
const worker = new Miniflare({
  modules: [{ type: "ESModule", path: "out/worker.js" }],
  compatibilityDate: "2026-04-20",
  compatibilityFlags: ["nodejs_compat"],
  bindings: { TINKER_BASE_URL, TINKER_API_KEY, OWN_FETCH: "${ownFetch}" },
});
console.log(await (await worker.dispatchFetch("http://localhost/")).text());
await worker.dispose();
`;
}

function workerd(name: string, file: string, ownFetch: "yes" | "no"): Runtime {
  return {
    name,
    packages: ["miniflare@4", "esbuild@0.28"],
    files: { "worker.js": WORKER, [file]: miniflare(ownFetch) },
    setup: ["node_modules/workerd/install.js", "node_modules/esbuild/install.js"],
    build: [
      "esbuild",
      "worker.js",
      "--bundle",
      "--format=esm",
      "--platform=node",
      "--conditions=workerd,worker",
      "--outfile=out/worker.js",
    ],
    run: ["node", file],
  };
}

export const RUNTIMES: readonly Runtime[] = [
  {
    name: "Bun",
    packages: ["bun@1"],
    files: {},
    setup: ["node_modules/bun/install.js"],
    run: ["bun", "main.js"],
  },
  {
    name: "Deno",
    packages: ["deno@2"],
    files: {},
    setup: ["node_modules/deno/install.cjs"],
    run: ["deno", "run", "--allow-all", "main.js"],
  },
  workerd("Cloudflare's workerd with its fetch", "own-fetch.mjs", "yes"),
  workerd("Cloudflare's workerd", "no-fetch.mjs", "no"),
];
