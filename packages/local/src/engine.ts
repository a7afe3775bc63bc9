export type { EmbeddedSampleOptions, EmbeddedSampleRequest } from "./embedded/embedded-sample.js";
export { type FetchModelOptions, fetchModelFiles } from "./embedded/fetch-model-files.js";
export type { LoraRun } from "./embedded/lora-run.js";
export { type OpenedModel, type OpenModelOptions, openModel } from "./embedded/open-model.js";
export type { ModelFiles } from "./model/model-in-memory.js";
export type { BrowserRuntimeName, BrowserRuntimeOptions } from "./runtime/browser-runtime.js";
