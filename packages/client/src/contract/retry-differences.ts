import { type Difference, EXPECTED_TOKENS, steps, UNRECORDED } from "./difference.js";

/** The request of most steps of `errors`, without its access scope. */
const RUN = "GET training_runs/run-1";
const ONE_LAYER =
  "one layer repeats a request, and counts on; theirs has two, of which the outer begins to count anew";
const PARTLY_TAKEN = "a call of which a part was taken and a part was not breaks the client, and says so";
const UNCOUNTED = "a kept connection that had died is replaced at once, which does not count as a repeat";

/** Differences in polls, repeats, and what is done about failures. */
export const RETRY_DIFFERENCES: readonly Difference[] = [
  // Polls.
  {
    kind: "ends",
    what: "failed: user",
    at: ["future-polling * s23"],
    why: "the service's word for the fault is read in any case",
  },
  {
    kind: "added",
    what: "POST retrieve_future",
    at: ["future-polling * s42"],
    why: "425 says that it is too early, and is asked again as after 503",
  },
  { kind: "ends", what: "status 422", at: ["future-polling * s42"], why: UNRECORDED },
  {
    kind: "ends",
    what: "status 410",
    at: ["future-polling * s30"],
    why: "theirs has an error of its own for a result that expired",
  },
  {
    kind: "ends",
    what: "unreadable",
    at: steps("future-polling 0.25.0", "s54", "s58", "s66", "s68").concat(
      steps("future-polling 0.38.0", "s54", "s58", "s66", "s68"),
      "future-polling 0.4.1 s59",
    ),
    why: "an answer that breaks the protocol is a ResponseError, where theirs has errors of Python",
  },
  { kind: "ends", what: "unreadable", at: ["future-polling 0.4.1 s51"], why: EXPECTED_TOKENS },
  {
    kind: "ends",
    what: "result",
    at: ["future-polling 0.25.0 s56", "future-polling 0.38.0 s56"],
    why: "a server may answer in JSON where protobuf was asked for",
  },
  {
    kind: "ends",
    what: "result",
    at: ["future-polling 0.25.0 s70", "future-polling 0.38.0 s70"],
    why: "the NaN that Python servers write into JSON is read",
  },
  {
    kind: "ends",
    what: "extra",
    at: ["future-polling 0.25.0 s73", "future-polling 0.38.0 s73", "future-polling 0.4.1 s64"],
    why: "fields that are not known are kept",
  },
  {
    kind: "ends",
    what: "no connection",
    at: ["future-polling 0.25.0 s75", "future-polling 0.38.0 s75", "future-polling 0.4.1 s66"],
    why: "a success that is no ticket is asked for again under the same key, as the work may be done",
  },
  {
    kind: "added",
    what: "POST optim_step",
    at: ["future-polling 0.25.0 s75", "future-polling 0.38.0 s75", "future-polling 0.4.1 s66"],
    why: "as above",
  },
  {
    kind: "changed",
    what: "POST retrieve_future",
    at: ["future-polling * s18", "retry-timing * s08"],
    why: UNCOUNTED,
  },
  {
    kind: "changed",
    what: "POST retrieve_future",
    at: ["future-polling 0.25.0 s46", "future-polling 0.38.0 s46"],
    why: "waiting until the account can pay is part of one poll",
  },
  {
    kind: "added",
    what: "POST retrieve_future",
    at: steps("future-polling 0.25.0", "s58", "s62", "s64", "s66", "s68").concat(
      steps("future-polling 0.38.0", "s58", "s62", "s64", "s66", "s68"),
      steps("future-polling 0.4.1", "s53", "s55", "s57", "s59"),
    ),
    why: "an answer that cannot be read may be a proxy's: it is asked for again, and the work is not lost",
  },
  {
    kind: "ends",
    what: "status 422",
    at: steps("future-polling 0.4.1", "s55", "s57").concat(
      steps("future-polling 0.25.0", "s64", "s66"),
      steps("future-polling 0.38.0", "s64", "s66"),
    ),
    why: UNRECORDED,
  },
  {
    kind: "added",
    what: "POST retrieve_future",
    at: ["future-polling 0.4.1 s49"],
    why: "a 400 counts when it comes four times, as of 0.25",
  },
  {
    kind: "added",
    what: "POST retrieve_future",
    at: steps("future-polling 0.4.1", "s45", "s47"),
    why: "402 and 429 are waited out, as of 0.25",
  },
  { kind: "ends", what: "status 422", at: steps("future-polling 0.4.1", "s45", "s47"), why: UNRECORDED },
  // Repeats.
  {
    kind: "ends",
    what: "status 429",
    at: ["errors * s33"],
    why: "x-should-retry: false ends the repeats; theirs has an outer layer that does not look at it",
  },
  { kind: "ends", what: "status 503", at: ["retry-timing * s06"], why: "as above" },
  {
    kind: "left",
    what: RUN,
    at: ["errors * s32", "errors * s33", "retry-timing * s06"],
    why: "as above",
  },
  { kind: "added", what: RUN, at: ["errors * s34", "errors * s52"], why: ONE_LAYER },
  { kind: "left", what: RUN, at: ["errors * s34", "errors * s50", "errors * s52"], why: ONE_LAYER },
  { kind: "changed", what: RUN, at: ["errors * s35"], why: UNCOUNTED },
  { kind: "added", what: RUN, at: ["errors * s11"], why: "425 says that it is too early, and is repeated" },
  { kind: "ends", what: "unknown", at: ["errors * s43"], why: "fields that are not known are kept" },
  {
    kind: "left",
    what: RUN,
    at: ["errors * s51"],
    why: "an empty 400 of a proxy is told by its body, not by its Content-Length",
  },
  { kind: "ends", what: "status 400", at: ["errors * s51", "errors * s52"], why: "as above" },
  { kind: "added", what: RUN, at: ["errors 0.4.1 s12"], why: "402 is waited out, as of 0.25" },
  { kind: "ends", what: "status 422", at: ["errors 0.4.1 s12"], why: UNRECORDED },
  {
    kind: "added",
    what: RUN,
    at: ["errors 0.4.1 s50"],
    why: "an empty 400 of a proxy counts as a broken connection, as of 0.25",
  },
  {
    kind: "changed",
    what: "POST optim_step",
    at: ["errors 0.4.1 s55", "errors 0.25.0 s55", "errors 0.38.0 s61"],
    why: ONE_LAYER,
  },
  {
    kind: "changed",
    what: "POST optim_step",
    at: ["errors 0.4.1 s57", "errors 0.25.0 s57", "errors 0.38.0 s63"],
    why: UNCOUNTED,
  },
  {
    kind: "ends",
    what: "status 409",
    at: ["errors 0.4.1 s60", "errors 0.25.0 s60", "errors 0.38.0 s66"],
    why: "a name that is taken fails a save at once: waiting does not mend it",
  },
  {
    kind: "left",
    what: "POST save_weights",
    at: ["errors 0.4.1 s60", "errors 0.25.0 s60", "errors 0.38.0 s66"],
    why: "as above",
  },
  {
    kind: "left",
    what: "POST retrieve_future",
    at: ["errors 0.4.1 s60", "errors 0.25.0 s60", "errors 0.38.0 s66"],
    why: "as above",
  },
  {
    kind: "added",
    what: "POST weights_info",
    at: ["errors 0.4.1 s61", "errors 0.25.0 s61", "errors 0.38.0 s67"],
    why: "a 409 behind a lost answer may be our own success: the checkpoint is waited for",
  },
  {
    kind: "changed",
    what: "POST save_weights",
    at: ["errors 0.4.1 s61", "errors 0.25.0 s61", "errors 0.38.0 s67"],
    why: "as above",
  },
  {
    kind: "changed",
    what: "POST asample",
    at: steps("errors 0.25.0", "s64", "s69").concat(steps("errors 0.38.0", "s70", "s75")),
    why: ONE_LAYER,
  },
  {
    kind: "changed",
    what: "POST asample",
    at: steps("errors 0.4.1", "s63", "s64", "s65", "s66", "s67", "s68").concat("retry-timing 0.4.1 s10"),
    why: "0.4.1 takes a new number for each try of a sample; ours is one, as of 0.25",
  },
  {
    kind: "ends",
    what: "status 422",
    at: ["errors 0.25.0 s74", "errors 0.38.0 s80"],
    why: "other services have other keys, so the form of a key is the service's to judge; that session has no recorded answer",
  },
  {
    kind: "ends",
    what: "status 422",
    at: ["errors 0.25.0 s75", "errors 0.38.0 s81"],
    why: "a service without client/config is one of generation 0.4; that session has no recorded answer",
  },
  {
    kind: "added",
    what: "POST create_session",
    at: ["errors 0.25.0 s74", "errors 0.25.0 s75", "errors 0.38.0 s80", "errors 0.38.0 s81"],
    why: "as the two above",
  },
  { kind: "added", what: "POST client/config", at: ["errors 0.38.0 s80"], why: "as above" },
  { kind: "added", what: "POST client/dynamic_config", at: ["errors 0.38.0 s80"], why: "as above" },
  {
    kind: "ends",
    what: "SequenceBrokenError",
    at: steps("errors 0.25.0", "s83", "s87").concat(steps("errors 0.38.0", "s89", "s93")),
    why: PARTLY_TAKEN,
  },
  {
    kind: "left",
    what: "POST optim_step",
    at: ["errors 0.25.0 s83", "errors 0.38.0 s89"],
    why: PARTLY_TAKEN,
  },
  {
    kind: "left",
    what: "POST retrieve_future",
    at: steps("errors 0.25.0", "s83", "chunk-fails-first", "chunk-fails-last").concat(
      steps("errors 0.38.0", "s89", "chunk-fails-first", "chunk-fails-last"),
    ),
    why: PARTLY_TAKEN,
  },
  // Credentials.
  {
    kind: "added",
    what: RUN,
    at: steps("auth-jwt 0.25.0", "s07", "s08"),
    why: "a token that was refused is replaced once, as of 0.38",
  },
  {
    kind: "added",
    what: "POST load_weights",
    at: steps("auth-jwt 0.25.0", "s11", "s12"),
    why: "the newest way to make a model is tried first; and a foreign token goes as it was given, as of 0.38, where 0.25 exchanged it",
  },
  { kind: "left", what: "POST load_weights", at: ["auth-jwt 0.25.0 s11"], why: "as above" },
  {
    kind: "changed",
    what: "POST weights_info",
    at: steps("auth-jwt 0.25.0", "s11", "s12"),
    why: "as above: a foreign token is shown as it was given",
  },
  { kind: "left", what: "POST auth/token", at: ["auth-jwt 0.25.0 s12"], why: "as above" },
  {
    kind: "left",
    what: "POST auth/token",
    at: ["auth-jwt 0.38.0 s11"],
    why: "a token that lives for less than a minute is kept for that minute",
  },
];
