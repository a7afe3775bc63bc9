/** Text that a renderer was given: what somebody said, the name of a role or of a tool, an argument. */
export interface GivenText {
  readonly given: string;
}

/** A run of text: what a layout writes of its own as a string, what it was given as such. */
export type TextRun = string | GivenText;

/** Marks text as given to the renderer, so that the option `literalText` keeps it from becoming a token of the layout. */
export function given(text: string): GivenText {
  return { given: text };
}

/** The text of runs, whoever wrote them. */
export function textOfRuns(runs: string | readonly TextRun[]): string {
  if (typeof runs === "string") return runs;
  return runs.map((run) => (typeof run === "string" ? run : run.given)).join("");
}

/** Runs joined as `separator` joins texts. */
export function joinRuns(parts: readonly (readonly TextRun[])[], separator: string): TextRun[] {
  return parts.flatMap((runs, index) => (index === 0 ? runs : [separator, ...runs]));
}

/** Takes the `phrases` that given text holds word for word for the layout's own. */
export function recognisePhrases(runs: readonly TextRun[], phrases: readonly string[]): TextRun[] {
  return phrases
    .reduce<readonly TextRun[]>(
      (known, phrase) =>
        known.flatMap((run) => {
          if (typeof run === "string") return [run];
          return joinRuns(
            run.given.split(phrase).map((text) => [given(text)]),
            phrase,
          );
        }),
      runs,
    )
    .slice();
}
