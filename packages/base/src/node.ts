// For code that runs in Node alone: the main entry reaches nothing of it.
export { checkTarget } from "./files/check-target.js";
export { inFileTurn } from "./files/in-file-turn.js";
export { makeFolders, makeFoldersSync } from "./files/make-folders.js";
export { replaceFile } from "./files/replace-file.js";
export { type CommandSurroundings, commandSurroundings } from "./processes/command-surroundings.js";
export { isProcessGone, processMark } from "./processes/process-mark.js";
