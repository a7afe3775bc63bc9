import { type Difference, EXPECTED_TOKENS, steps, UNRECORDED } from "./difference.js";
import { RETRY_DIFFERENCES } from "./retry-differences.js";

const CHECKED_HERE = "inputs that no server can use are refused before they are sent";
const WITH_SURROGATE =
  "of all versions as of 0.38: loss:sum is the value of the caller's loss, and the server's, of the second pass, is surrogate_loss:sum";
const ZERO_WEIGHTS =
  "the first pass of a custom loss has weights of zero, which 0.25 added since servers want them";

/** Beside these: null counts as absent, `sdk_version` is always the newest version that we behave like, fractions have six digits. */
export const DIFFERENCES: readonly Difference[] = [
  ...RETRY_DIFFERENCES,
  {
    kind: "added",
    what: "POST client/config",
    at: ["* 0.4.1 *"],
    why: "asking is how the generation is told",
  },
  { kind: "added", what: "POST services/x/client/config", at: ["session 0.4.1 s05"], why: "as above" },
  {
    kind: "added",
    what: "POST get_info",
    at: ["* 0.4.1 *", "* 0.25.0 *"],
    why: "asked once when a model is made, then known",
  },
  {
    kind: "left",
    what: "POST client/config",
    at: ["* 0.25.0 *", "* 0.38.0 *"],
    why: "one configuration for all, not one each for sessions and REST",
  },
  { kind: "left", what: "POST client/dynamic_config", at: ["* 0.25.0 *", "* 0.38.0 *"], why: "as above" },
  {
    kind: "added",
    what: "POST load_weights",
    at: ["canonical-flow 0.25.0 s18", "canonical-flow 0.25.0 s19"],
    why: "the newest way to make a model is tried first",
  },
  {
    kind: "added",
    what: "POST retrieve_future",
    at: ["canonical-flow 0.4.1 s17", "canonical-flow 0.25.0 s21"],
    why: "unload waits for the end, where the recorded call only submitted",
  },
  {
    kind: "ends",
    what: "status 422",
    at: ["canonical-flow 0.4.1 s17", "canonical-flow 0.25.0 s21"],
    why: UNRECORDED,
  },
  {
    kind: "ends",
    what: "metrics.h:hash2",
    at: [
      "chunked-pipeline 0.25.0 s05",
      "chunked-pipeline 0.25.0 s12",
      "chunked-pipeline 0.25.0 s14",
      "chunked-pipeline 0.25.0 s19",
    ],
    why: "every reduction of any version is known, whatever the server",
  },
  {
    kind: "ends",
    what: "metrics.g:hash_unordered, metrics.h:hash2",
    at: ["chunked-pipeline 0.4.1 s05"],
    why: "as above; and the exact integer is given, which 0.4.1 rounded",
  },
  {
    kind: "ends",
    what: "metrics.g:hash_unordered",
    at: [
      "chunked-pipeline 0.38.0 s05",
      "chunked-pipeline 0.38.0 s12",
      "chunked-pipeline 0.38.0 s14",
      "chunked-pipeline 0.38.0 s19",
    ],
    why: "as above",
  },
  {
    kind: "ends",
    what: "result",
    at: [
      "chunked-pipeline 0.4.1 s09",
      "chunked-pipeline 0.4.1 s10",
      "chunked-pipeline 0.25.0 s23",
      "chunked-pipeline 0.25.0 s24",
      "chunked-pipeline 0.38.0 s23",
      "chunked-pipeline 0.38.0 s24",
    ],
    why: "a metric without exactly one colon does not fail the call",
  },
  {
    kind: "ends",
    what: "refused here",
    at: ["chunked-pipeline 0.4.1 s13"],
    why: "no data are an error of the caller's, as in later versions",
  },
  {
    kind: "ends",
    what: "refused here",
    at: [
      "losses 0.4.1 s13",
      "losses 0.25.0 s16",
      "losses 0.38.0 s20",
      "losses 0.25.0 s21",
      "losses 0.38.0 s27",
      "custom-loss 0.4.1 s11",
    ],
    why: CHECKED_HERE,
  },
  {
    kind: "left",
    what: "POST forward_backward",
    at: [
      "losses 0.4.1 s13",
      "losses 0.25.0 s16",
      "losses 0.38.0 s20",
      "losses 0.25.0 s21",
      "losses 0.38.0 s27",
    ],
    why: "as above",
  },
  {
    kind: "left",
    what: "POST retrieve_future",
    at: [
      "losses 0.4.1 s13",
      "losses 0.25.0 s16",
      "losses 0.38.0 s20",
      "losses 0.25.0 s21",
      "losses 0.38.0 s27",
      "custom-loss 0.4.1 s11",
    ],
    why: "as above",
  },
  { kind: "left", what: "POST forward", at: ["custom-loss 0.4.1 s11"], why: "as above" },
  {
    kind: "ends",
    what: "unreadable",
    at: ["losses 0.25.0 s23", "losses 0.25.0 s25", "losses 0.38.0 s29", "losses 0.38.0 s31"],
    why: EXPECTED_TOKENS,
  },
  {
    kind: "ends",
    what: "metrics.surrogate_loss:sum",
    at: [
      "custom-loss 0.4.1 s03",
      "custom-loss 0.4.1 s08",
      "custom-loss 0.4.1 s10",
      "custom-loss 0.25.0 s03",
      "custom-loss 0.25.0 s08",
    ],
    why: WITH_SURROGATE,
  },
  {
    kind: "ends",
    what: "metrics.loss:sum, metrics.surrogate_loss:sum",
    at: [
      "custom-loss 0.4.1 s04",
      "custom-loss 0.4.1 s05",
      "custom-loss 0.25.0 s04",
      "custom-loss 0.25.0 s05",
    ],
    why: WITH_SURROGATE,
  },
  {
    kind: "changed",
    what: "POST forward",
    at: [
      "custom-loss 0.4.1 s03",
      "custom-loss 0.4.1 s05",
      "custom-loss 0.4.1 custom-then-optim",
      "custom-loss 0.4.1 s10",
    ],
    why: ZERO_WEIGHTS,
  },
  {
    kind: "changed",
    what: "POST forward_backward",
    at: ["custom-loss 0.4.1 s05"],
    why: "0.4.1 flattened the gradients of targets of two dimensions, and sent zeros",
  },
  {
    kind: "added",
    what: "POST forward_backward",
    at: ["custom-loss 0.25.0 s10"],
    why: "inputs that only the loss reads stay here, as of 0.38, where 0.25 refuses them",
  },
  { kind: "ends", what: "status 422", at: ["custom-loss 0.25.0 s10"], why: UNRECORDED },
  {
    kind: "added",
    what: "POST optim_step",
    at: ["custom-loss 0.38.0 s13"],
    why: "a custom loss that throws leaves the client usable",
  },
  { kind: "ends", what: "status 422", at: ["custom-loss 0.38.0 s13"], why: UNRECORDED },
  {
    kind: "added",
    what: "GET samplers/00000000-0000-4000-8000-000000000001:sample:1",
    at: ["sampling 0.25.0 s03"],
    why: "a sampler of a path asks once for its base model, as of 0.38",
  },
  {
    kind: "added",
    what: "POST asample",
    at: ["sampling 0.38.0 s47"],
    why: "whole numbers are token ids whatever their dtype; fractions are refused here too",
  },
  { kind: "ends", what: "status 422", at: ["sampling 0.38.0 s47"], why: UNRECORDED },
  {
    kind: "ends",
    what: "result",
    at: ["session 0.38.0 s18"],
    why: "closing is done whatever the service says to it",
  },
  {
    kind: "changed",
    what: "POST weights_info",
    at: steps("auth-jwt 0.25.0", "s11", "s12"),
    why: "as above: a foreign token is shown as it was given, where 0.25 shows the token that it exchanged it for",
  },
  // Polls for all samples, and handles.
  {
    kind: "added",
    what: "POST retrieve_future",
    at: ["batch-futures 0.38.0 poll-fatal"],
    why: "a service that does not know the poll for all samples is asked for each",
  },
  { kind: "ends", what: "status 422", at: ["batch-futures 0.38.0 s13"], why: UNRECORDED },
  {
    kind: "changed",
    what: "POST asample",
    at: ["batch-futures 0.38.0 clone-sample"],
    why: "a copy that is given no number draws one that JavaScript's numbers hold exactly",
  },
  // Training.
  {
    kind: "added",
    what: "POST optim_step",
    at: ["training-extras 0.38.0 s10"],
    why: "optimStep without parameters is AdamW at its defaults, where theirs has none",
  },
  { kind: "ends", what: "status 422", at: ["training-extras 0.38.0 s10"], why: UNRECORDED },
  {
    kind: "ends",
    what: "size_bytes",
    at: steps("training-extras 0.38.0", "s15", "s16"),
    why: "fields that are not known are kept",
  },
  {
    kind: "added",
    what: "POST create_custom_loss",
    at: ["training-extras 0.38.0 s34"],
    why: "a graph is built, not traced: a branch on a tensor is taken once, while it is built",
  },
  { kind: "ends", what: "status 422", at: ["training-extras 0.38.0 s34"], why: UNRECORDED },
];
