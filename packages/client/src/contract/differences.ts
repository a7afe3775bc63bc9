import type { RecordedVersion } from "./recording.js";

/** One request: its path below `/api/v1/`, and the fields by which it is told from others of the path. */
export interface ListedRequest {
  readonly path: string;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly why: string;
}

/** Differences between our requests and those that the official SDK of a version was recorded to send, with reasons. */
export interface Differences {
  /** Requests of ours that were not recorded. */
  readonly added: readonly ListedRequest[];
  /** Recorded requests that we do not send. */
  readonly left: readonly ListedRequest[];
  /** Fields of recorded bodies that ours leave out at these values. */
  readonly omitted: readonly {
    readonly path: string;
    readonly field: string;
    readonly value: unknown;
    readonly why: string;
  }[];
}

/** The id that the recorded service gave. */
const SESSION = "00000000-0000-4000-8000-000000000001";
const AT_DEFAULT =
  "fields newer than 0.25 travel only when they are not at their default: strict servers refuse them";

/** The models that closing frees on a service that does not end sessions. */
function unloaded(count: number): readonly ListedRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    path: "unload_model",
    fields: { model_id: `${SESSION}:train:${index}` },
    why: "a service that does not end sessions keeps what was made in them",
  }));
}

/** Beside these: null counts as absent, and `sdk_version` is always the newest version that we behave like. */
export const DIFFERENCES: Readonly<Record<RecordedVersion, Differences>> = {
  "0.4.1": {
    added: [
      { path: "client/config", why: "asking is how the generation is told" },
      {
        path: "get_info",
        fields: { model_id: `${SESSION}:train:1` },
        why: "asked once when a model is made, then known",
      },
      ...unloaded(2),
    ],
    left: [{ path: "unload_model", why: "the flow of the tests keeps its first model" }],
    omitted: [],
  },
  "0.25.0": {
    added: [
      {
        path: "load_weights",
        fields: { model_seq_id: 1 },
        why: "the newest way to make a model is tried first",
      },
      { path: "load_weights", fields: { model_seq_id: 2 }, why: "as above" },
      {
        path: "get_info",
        fields: { model_id: `${SESSION}:train:1` },
        why: "asked once when a model is made, then known",
      },
      { path: "get_info", fields: { model_id: `${SESSION}:train:2` }, why: "as above" },
      { path: `sessions/${SESSION}/finish`, why: "closing tells the service, if it can be told" },
      ...unloaded(3),
    ],
    left: [
      { path: "client/config", why: "one configuration for all, not one each for sessions and REST" },
      { path: "client/dynamic_config", why: "as above" },
      { path: "unload_model", why: "the flow of the tests keeps its first model" },
    ],
    omitted: [],
  },
  "0.38.0": {
    added: [],
    left: [
      { path: "client/config", why: "one configuration for all, not one each for sessions and REST" },
      { path: "client/dynamic_config", why: "as above" },
    ],
    omitted: [
      { path: "create_model", field: "optimizer_config", value: { type: "adamw" }, why: AT_DEFAULT },
      { path: "save_weights_for_sampler", field: "kind", value: "snapshot", why: AT_DEFAULT },
      { path: "asample", field: "topk_sample_logprobs", value: 0, why: AT_DEFAULT },
      { path: "asample", field: "prompt_alt_tokens_k", value: 0, why: AT_DEFAULT },
      { path: "asample", field: "record_stability_info", value: false, why: AT_DEFAULT },
    ],
  },
};
