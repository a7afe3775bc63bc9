import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NATIVE_COMPILER } from "./compilers.js";
import { tarballsFor } from "./public-packages.js";
import { type CommandResult, run } from "./run.js";

/** A user's project: an empty folder, outside the repository, into which packed tarballs are installed with npm. */
export class Consumer {
  readonly folder: string = mkdtempSync(join(tmpdir(), "tinkex-consumer-"));

  constructor() {
    this.write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }));
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Installs one of our packages with the siblings it needs, and further packages by name. */
  install(
    name: string,
    options: {
      readonly alongside?: readonly string[];
      readonly npmArgs?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    } = {},
  ): Promise<CommandResult> {
    const packages = [...tarballsFor(name), ...(options.alongside ?? [])];
    return run("npm", ["install", "--no-audit", "--no-fund", ...(options.npmArgs ?? []), ...packages], {
      cwd: this.folder,
      ...(options.env === undefined ? {} : { env: options.env }),
    });
  }

  /** Installs more packages from the registry. */
  add(names: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
    return run("npm", ["install", "--no-audit", "--no-fund", ...names], { cwd: this.folder, env });
  }

  /** Type-checks the project strictly, declarations of dependencies included. Other compilers read them in typescript-versions. */
  compile(
    compilerOptions: Readonly<Record<string, unknown>>,
    compiler: string = NATIVE_COMPILER,
  ): Promise<CommandResult> {
    const base = {
      target: "ES2023",
      module: "NodeNext",
      moduleResolution: "NodeNext",
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
    };
    this.write(
      "tsconfig.json",
      JSON.stringify({ compilerOptions: { ...base, ...compilerOptions }, include: ["*.ts"] }),
    );
    return run(process.execPath, [compiler, "-p", "."], { cwd: this.folder });
  }

  /** Runs a JavaScript file of the project. */
  node(file: string, env: Readonly<Record<string, string>> = {}): Promise<CommandResult> {
    // pnpm, under which tests run, lets `require` find every package of the workspace by this variable.
    return run(process.execPath, [file], { cwd: this.folder, env: { NODE_PATH: "", ...env } });
  }

  dispose(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
