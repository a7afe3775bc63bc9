/** A difference between what we do and what the official SDK of a version was recorded to do, with the reason. */
export interface Difference {
  /** A request of ours that was not recorded, a recorded one that we do not send, both of these, or a step that ends otherwise. */
  readonly kind: "added" | "left" | "changed" | "ends";
  /** Method and path of the request; or a word on the end of our step, or the fields in which the results differ. */
  readonly what: string;
  /** Places, as `scenario version step`; `*` stands for any one of them. */
  readonly at: readonly string[];
  readonly why: string;
}

/** Tells whether a difference is listed for a place. */
export function isAt({ at }: Difference, place: readonly string[]): boolean {
  return at.some((one) => one.split(" ").every((part, index) => part === "*" || part === place[index]));
}

/** Tells whether a difference is listed for something that was added or left, or for an end. */
export function isOfKind({ kind }: Difference, found: "added" | "left" | "ends"): boolean {
  return kind === found || (kind === "changed" && found !== "ends");
}

/** Places of several steps of one recording. */
export function steps(recording: string, ...ids: readonly string[]): string[] {
  return ids.map((id) => `${recording} ${id}`);
}

/** Reason for the end of a step whose request was added. */
export const UNRECORDED = "as above; that request has no recorded answer";

/** Reason for answers of the mock that do not fit the data they answer. */
export const EXPECTED_TOKENS =
  "log-probabilities and outputs must be as many as the targets and data; this answer of the mock's is not";
