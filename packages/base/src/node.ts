// For code that runs in Node alone: the main entry reaches nothing of it.
export { replaceFile } from "./files/replace-file.js";
export { isProcessGone, processMark } from "./processes/process-mark.js";
