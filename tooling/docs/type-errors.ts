import { dirname, join } from "node:path";
import ts from "typescript";
import { REPOSITORY } from "./snippets.js";

/**
 * Faults of the text of files that need not be there: `file(line): message`, with the options of this repository. What they import is
 * read, but its own faults are for `tsc -b` to find: looking for them again took most of the time.
 */
export function typeErrors(files: ReadonlyMap<string, string>): readonly string[] {
  const { config } = ts.readConfigFile(join(REPOSITORY, "tsconfig.base.json"), ts.sys.readFile);
  const { options: base } = ts.convertCompilerOptionsFromJson(config.compilerOptions, REPOSITORY);
  const options: ts.CompilerOptions = {
    ...base,
    // A user's program is neither part of a build nor checked for what a build needs.
    composite: false,
    declaration: false,
    emitDeclarationOnly: false,
    noEmit: true,
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: ["node"],
  };
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile, directoryExists } = host;
  const folders = new Set([...files.keys()].map((file) => dirname(file)));
  Object.assign(host, {
    getCurrentDirectory: () => import.meta.dirname,
    fileExists: (file: string) => files.has(file) || fileExists(file),
    readFile: (file: string) => files.get(file) ?? readFile(file),
    directoryExists: (folder: string) => folders.has(folder) || directoryExists?.(folder),
    getSourceFile: (file: string, ...rest: [ts.ScriptTarget]) => {
      const text = files.get(file);
      return text === undefined
        ? getSourceFile(file, ...rest)
        : ts.createSourceFile(file, text, ...rest, true);
    },
  });
  const program = ts.createProgram([...files.keys()], options, host);
  const sources = [...files.keys()].map((file) => program.getSourceFile(file));
  const found = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getGlobalDiagnostics(),
    ...sources.flatMap((source) => [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]),
  ];
  return found.map(({ file, start, messageText }) => {
    const line = (file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0) + 1;
    return `${file?.fileName ?? "options"}(${line}): ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}
