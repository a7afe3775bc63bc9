/** Numbers by their names, those of the Python cookbook first. */
export type Metrics = Readonly<Record<string, number>>;

/** A checkpoint that a recipe has saved. */
export interface SavedCheckpoint {
  /** Six digits of the number of steps in it, or `final`. */
  readonly name: string;
  /** Number of steps in it: the batch that comes next. */
  readonly batch: number;
  /** Weights and optimizer, to go on from. */
  readonly statePath: string;
  /** Weights to sample from. */
  readonly samplerPath: string;
  readonly isFinal: boolean;
}

/** News of a run, in order. */
export type RecipeEvent =
  | {
      readonly type: "start";
      /** The first step that is still to do. */
      readonly step: number;
      readonly totalSteps: number;
      /** Checkpoint that the run goes on from. */
      readonly resumedFrom: string | undefined;
    }
  | { readonly type: "step"; readonly step: number; readonly metrics: Metrics }
  | { readonly type: "eval"; readonly step: number; readonly metrics: Metrics }
  | ({ readonly type: "checkpoint" } & SavedCheckpoint)
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "done"; readonly step: number; readonly metrics: Metrics };
