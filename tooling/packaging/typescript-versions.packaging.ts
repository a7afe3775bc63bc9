import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import newest, { type CompilerHost, type CompilerOptions, type SourceFile } from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NATIVE_COMPILER } from "./compilers.js";
import { Consumer } from "./consumer.js";
import { publicPackages, REPOSITORY } from "./public-packages.js";
import { run } from "./run.js";

type Compiler = typeof newest;

/** Oldest compiler that the READMEs promise. An exact version, as npm installs it into the project. */
const OLDEST = "5.7.2";

/** Packages that declarations of ours name, and what each is linked from. */
const DECLARED_WITH: Readonly<Record<string, string>> = {
  "@bufbuild/protobuf": "packages/wire",
  "@opentelemetry/api": "packages/telemetry",
  "@types/node": ".",
};

/** Declarations that are checked: ours, and those we make a user install. */
const CHECKED = /\/node_modules\/(?:@tinkex|tinkex|@bufbuild)\/|\/(?:all|wrong)\.ts$/;

const { ModuleKind, ModuleResolutionKind } = newest;

/** Settings of a user's project, by how it resolves imports; the numbers are the same in every version. */
const RESOLUTIONS = {
  node16: { module: ModuleKind.Node16, moduleResolution: ModuleResolutionKind.Node16 },
  nodenext: { module: ModuleKind.NodeNext, moduleResolution: ModuleResolutionKind.NodeNext },
  bundler: { module: ModuleKind.ESNext, moduleResolution: ModuleResolutionKind.Bundler },
} as const;

type Resolution = keyof typeof RESOLUTIONS;

/** Settings that all compilers get; only how they are written differs. */
const STRICT = { strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true } as const;

/**
 * Every entry of every package that has declarations, as a user imports it. Entries for tfjs are left out: the WebGPU types that it
 * brings contradict the browser's library since TypeScript 6. Projects with tfjs compile them in consumer-tensor.
 */
const entries = publicPackages.flatMap(({ name, folder }) => {
  const manifest: { readonly publishConfig: { readonly exports: object } } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  return Object.entries(manifest.publishConfig.exports)
    .filter(([, target]) => typeof target === "object" && target !== null && "types" in target)
    .map(([path]) => name + path.slice(1))
    .filter((entry) => !entry.endsWith("/tfjs"));
});

// h3js/crossws#127, cosmos/cosmjs#1893: an older compiler fails on such declarations with words that name no version.
describe("the oldest TypeScript", () => {
  const readmes = [REPOSITORY, ...publicPackages.map(({ folder }) => folder)].map((folder) =>
    readFileSync(join(folder, "README.md"), "utf8"),
  );
  const guide = readFileSync(join(REPOSITORY, "docs", "guides.md"), "utf8");
  const promised = OLDEST.split(".").slice(0, 2).join(".");

  it("is named by the guide, and by each README that names the oldest Node", () => {
    const naming = [...readmes.filter((text) => /^.*Node (?:≥ )?20\.18\.1/m.test(text)), guide];
    expect(naming.length).toBeGreaterThan(5);
    for (const text of naming) {
      expect(text).toMatch(new RegExp(`TypeScript (?:≥ ${promised}|${promised} or newer)`));
    }
  });
});

// sindresorhus/uint8array-extras#18: declarations that say "Type 'Uint8Array' is not generic" to an older compiler.
describe("a project that imports every entry of every package, with skipLibCheck off", () => {
  const consumer = new Consumer();
  afterAll(() => consumer.dispose());

  beforeAll(async () => {
    const { exitCode, output } = await consumer.add([`typescript-oldest@npm:typescript@${OLDEST}`]);
    expect(exitCode, output).toBe(0);
    const modules = join(consumer.folder, "node_modules");
    // The tarballs as they are, without the runtimes that an installation brings: a compiler reads declarations alone.
    for (const { name, tarball } of publicPackages) {
      const folder = join(modules, name);
      mkdirSync(folder, { recursive: true });
      const unpacked = await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"], {
        cwd: consumer.folder,
      });
      expect(unpacked.exitCode, unpacked.output).toBe(0);
    }
    for (const [name, from] of Object.entries(DECLARED_WITH)) {
      mkdirSync(join(modules, name, ".."), { recursive: true });
      symlinkSync(join(REPOSITORY, from, "node_modules", name), join(modules, name));
    }
    consumer.write(
      "all.ts",
      entries.map((entry, index) => `export * as entry${index} from "${entry}";\n`).join(""),
    );
  });

  /** Files that were parsed, by compiler and format: node16 and nodenext read them alike. */
  const parsed = new Map<string, SourceFile | undefined>();

  function hostOf(ts: Compiler, options: CompilerOptions): CompilerHost {
    const host = ts.createCompilerHost(options);
    const { getSourceFile } = host;
    host.getSourceFile = (file, language, ...rest) => {
      const format = typeof language === "object" ? language.impliedNodeFormat : undefined;
      const key = [ts.version, format, file].join("|");
      if (!parsed.has(key)) parsed.set(key, getSourceFile(file, language, ...rest));
      return parsed.get(key);
    };
    return host;
  }

  /**
   * Faults that the compiler finds in the declarations, and the number of files that it was asked about.
   *
   * @param libraries - `"default"`: those of a project that names none, the browser's included
   */
  function check(
    ts: Compiler,
    resolution: Resolution,
    file = "all.ts",
    libraries: "named" | "default" = "named",
  ) {
    const options: CompilerOptions = {
      ...RESOLUTIONS[resolution],
      target: ts.ScriptTarget.ES2022,
      ...(libraries === "named" && { lib: ["lib.es2023.d.ts", "lib.esnext.disposable.d.ts"] }),
      types: ["node"],
      typeRoots: [join(consumer.folder, "node_modules", "@types")],
      ...STRICT,
    };
    const program = ts.createProgram([join(consumer.folder, file)], options, hostOf(ts, options));
    const files = program.getSourceFiles().filter(({ fileName }) => CHECKED.test(fileName));
    const faults = files.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]);
    return {
      fileCount: files.length,
      faults: [...program.getOptionsDiagnostics(), ...faults].map(
        ({ file: source, messageText }) =>
          `${source?.fileName ?? "options"}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
      ),
    };
  }

  const oldest = (): Compiler => createRequire(join(consumer.folder, "package.json"))("typescript-oldest");

  it.each(Object.keys(RESOLUTIONS) as Resolution[])(
    "compiles with the oldest TypeScript that is promised, and with the newest here, under %s",
    (resolution) => {
      for (const ts of [oldest(), newest]) {
        const { fileCount, faults } = check(ts, resolution);
        expect(faults, ts.version).toEqual([]);
        // Each entry has a file of its own, at least.
        expect(fileCount).toBeGreaterThan(entries.length);
      }
    },
  );

  // Iterable collections of the browser in TypeScript 5.7 give each AbortSignal the static method `any`: a class of ours that implements
  // the interface lacks it.
  it("compiles where the project names no libraries, and so has the browser's too", () => {
    for (const ts of [oldest(), newest])
      expect(check(ts, "nodenext", "all.ts", "default").faults, ts.version).toEqual([]);
  });

  it.each(Object.keys(RESOLUTIONS) as Resolution[])(
    "compiles with TypeScript 7 under %s",
    async (resolution) => {
      const module = resolution === "bundler" ? "esnext" : resolution;
      const lib = ["es2023", "esnext.disposable"];
      const compilerOptions = {
        ...STRICT,
        module,
        moduleResolution: resolution,
        target: "es2022",
        lib,
        types: ["node"],
      };
      consumer.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["all.ts"] }));
      const { exitCode, output } = await run(process.execPath, [NATIVE_COMPILER, "-p", "."], {
        cwd: consumer.folder,
      });
      const faults = output.split("\n").filter((line) => line.includes("error TS"));
      expect(faults.filter((line) => CHECKED.test(`/${line.slice(0, line.indexOf("("))}`))).toEqual([]);
      // Declarations of others may contradict each other; a fault of the settings has no file.
      expect(faults.filter((line) => !line.includes("node_modules/"))).toEqual([]);
      expect(exitCode === 0 || faults.length > 0, output).toBe(true);
    },
  );

  it("is compiled by two versions, the older of which sees a declaration that is wrong", () => {
    expect(oldest().version).toBe(OLDEST);
    expect(newest.version).not.toBe(OLDEST);
    consumer.write("node_modules/@tinkex/types/wrong.d.ts", "export type Wrong = Uint8Array<number>;\n");
    consumer.write("wrong.ts", 'export type * from "./node_modules/@tinkex/types/wrong.d.ts";\n');
    const { fileCount, faults } = check(oldest(), "nodenext", "wrong.ts");
    expect([fileCount, faults.length]).toEqual([2, 1]);
    expect(faults.join()).toContain(
      "wrong.d.ts: Type 'number' does not satisfy the constraint 'ArrayBufferLike'",
    );
  });
});
