import { readFileSync } from "node:fs";
import { type BrowserPage, openPage } from "./browser-page.js";
import { bundleProgram } from "./bundle.js";
import type * as engine from "./programs/engine.js";
import type * as renderers from "./programs/renderers.js";
import type * as tensor from "./programs/tensor.js";
import type * as tokenizer from "./programs/tokenizer.js";
import type * as types from "./programs/types.js";
import type * as wire from "./programs/wire.js";
import { type ServedFile, serveFiles } from "./serve-files.js";

/** The modules of `programs/`, each bundled by itself; a worker's program is answered for by what it runs. */
interface Programs {
  readonly types: typeof types;
  readonly wire: typeof wire;
  readonly tensor: typeof tensor;
  readonly tokenizer: typeof tokenizer;
  readonly renderers: typeof renderers;
  readonly engine: typeof engine;
}

type Input<Name extends keyof Programs> = Parameters<Programs[Name]["run"]>[0];
type Output<Name extends keyof Programs> = Awaited<ReturnType<Programs[Name]["run"]>>;

/** What `page.html` defines. */
declare global {
  interface Window {
    runProgram(name: string, input: unknown): Promise<unknown>;
    runInWorker(name: string, input: unknown): Promise<unknown>;
  }
}

/** A page of `page.html` with the programs beside it. */
export interface ProgramPage extends AsyncDisposable {
  readonly origin: string;
  readonly browser: BrowserPage;
  /** Runs a program in the page. */
  run<Name extends keyof Programs>(name: Name, input: Input<Name>): Promise<Output<Name>>;
  /** Runs `programs/types-worker.ts` in a module worker. */
  runTypesInWorker(input: Input<"types">): Promise<Output<"types">>;
}

/** Names of the files of `programs/` that one page has. The engine, which brings a runtime, has a page of its own. */
const SMALL_PROGRAMS = ["types", "types-worker", "wire", "tensor", "tokenizer", "renderers"] as const;

/** Names of the files of `programs/`. */
export const PROGRAMS = [...SMALL_PROGRAMS, "engine"] as const;

/**
 * Bundles and serves the programs, and opens the page in a browser.
 * @param files further files to serve, by path
 * @param programs names of files of `programs/`
 */
export async function openProgramPage(
  executablePath: string,
  files: ReadonlyMap<string, ServedFile>,
  programs: readonly (typeof PROGRAMS)[number][] = SMALL_PROGRAMS,
): Promise<ProgramPage> {
  const html = readFileSync(new URL("page.html", import.meta.url));
  const server = await serveFiles(
    new Map<string, ServedFile>([
      ["/page.html", { contentType: "text/html", body: html }],
      ...(await Promise.all(programs.map(bundledFile))),
      ...files,
    ]),
  );
  const browser = await openPage(executablePath, `${server.origin}/page.html`);
  return {
    origin: server.origin,
    browser,
    // A program's `run` gives its own output, which the compiler cannot follow through the browser.
    run: <Name extends keyof Programs>(name: Name, input: Input<Name>) =>
      browser.page.evaluate(([program, given]) => window.runProgram(program, given), [
        name,
        input,
      ] as const) as Promise<Output<Name>>,
    runTypesInWorker: (input) =>
      browser.page.evaluate((given) => window.runInWorker("types-worker", given), input) as Promise<
        Output<"types">
      >,
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function bundledFile(name: string): Promise<[string, ServedFile]> {
  const { code } = await bundleProgram(name);
  return [`/${name}.js`, { contentType: "text/javascript", body: code }];
}
