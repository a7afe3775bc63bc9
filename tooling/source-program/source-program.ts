import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type BuildOptions, build, type Loader, type OnResolveArgs, type Plugin } from "esbuild";

/** A program for a process of its own: one file of JavaScript, of the sources of our packages. */
export interface SourceProgram {
  /** For `node`, before the program's own arguments. Stacks name the sources' lines. */
  readonly nodeArguments: readonly string[];
  /** The bundle; its arguments begin at `process.argv[2]`. */
  readonly file: string;
  /** Removes the bundle, once no process reads it any more. */
  remove(): Promise<void>;
}

/**
 * Compiles a program and all that it imports of the workspace into one file: node starts that in a fraction of the time that a loader
 * takes, which compiles each module in each process.
 * @param code - TypeScript; its imports are bundled, so they must be literals. Packages from registries stay outside of the bundle.
 * @param from - address of the module as which it imports, such as a test's `import.meta.url`
 * @param missing - packages of ours that this program is not to find, as if they were not installed
 */
export async function sourceProgram(
  code: string,
  from: string,
  missing: readonly string[] = [],
): Promise<SourceProgram> {
  const folder = await mkdtemp(join(tmpdir(), "tinkex-program-"));
  const file = join(folder, "program.mjs");
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await build({
      stdin: {
        contents: withAddress(code, fileURLToPath(from)),
        resolveDir: dirname(fileURLToPath(from)),
        sourcefile: "program.ts",
        loader: "ts",
      },
      ...OPTIONS,
      outfile: file,
      external: [...missing],
    });
  } catch (error) {
    await remove();
    throw error;
  }
  return { nodeArguments: ["--enable-source-maps", file], file, remove };
}

/** Marks what the plugin below asks the bundler itself. */
const ASKED = Symbol("asked");

const SOURCES: Plugin = {
  name: "sources",
  setup(bundler) {
    bundler.onResolve({ filter: /^[^./]/ }, async (asked) => {
      if (asked.pluginData === ASKED || asked.path.startsWith("node:")) return undefined;
      if (asked.path.startsWith("file:")) return { path: fileURLToPath(asked.path) };
      const { kind, importer, resolveDir, path } = asked;
      const found = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: ASKED });
      // A package that is not installed is missed where the program asks for it, if it does.
      if (found.errors.length > 0) return { path, external: true };
      if (found.external || !found.path.includes(`${sep}node_modules${sep}`))
        return { path: found.path, external: found.external };
      return { path: outside(found.path, kind), external: true };
    });
    bundler.onLoad({ filter: /\.[cm]?[jt]s$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const loader: Loader = /\.[cm]?ts$/.test(path) ? "ts" : "js";
      return { contents: withAddress(text, path), loader };
    });
  },
};

const OPTIONS: BuildOptions = {
  ...{ bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "silent" },
  ...{ conditions: ["@tinkex/source"], sourcemap: "inline", sourcesContent: false },
  // Packages say that their modules have no side effects, which is not true of programs beside their tests.
  ignoreAnnotations: true,
  plugins: [SOURCES],
};

/** Gives the place of a package's file, which a bundle elsewhere would not find by the package's name. */
function outside(path: string, kind: OnResolveArgs["kind"]): string {
  return kind.startsWith("require") ? path : pathToFileURL(path).href;
}

/** Leaves each module its own address: files beside it are found from there, workers and WebAssembly among them. */
function withAddress(text: string, path: string): string {
  const values = { url: pathToFileURL(path).href, filename: path, dirname: dirname(path) };
  return text.replace(/\bimport\.meta\.(url|filename|dirname)\b/g, (_, name: keyof typeof values) =>
    JSON.stringify(values[name]),
  );
}
