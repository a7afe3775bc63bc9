import { describeValue, ValidationError } from "@tinkex/base";

/** Course of the learning rate over the steps of a run. */
export type ScheduleName = "linear" | "cosine" | "constant";

const SCHEDULES: Readonly<Record<ScheduleName, (progress: number) => number>> = {
  linear: (progress) => 1 - progress,
  cosine: (progress) => 0.5 * (1 + Math.cos(Math.PI * progress)),
  constant: () => 1,
};

/**
 * Factor of the learning rate at a step: 1 at the first, falling to 0 behind the last unless it is constant.
 *
 * @param step - from 0
 * @param total - number of steps of the run
 * @throws ValidationError for a name that is no schedule, or steps that are no numbers
 */
export function schedule(name: ScheduleName, step: number, total: number): number {
  checkSchedule(name, "schedule: name");
  if (!Number.isFinite(step) || !Number.isFinite(total) || step < 0 || total <= 0) {
    throw new ValidationError(
      `schedule: step must be from 0 and total above 0, got ${describeValue(step)} of ${describeValue(total)}`,
    );
  }
  return SCHEDULES[name](step / total);
}

/** @throws ValidationError for a name that is no schedule */
export function checkSchedule(name: ScheduleName, place: string): void {
  if (typeof name === "string" && Object.hasOwn(SCHEDULES, name)) return;
  throw new ValidationError(`${place} must be "linear", "cosine" or "constant", got ${describeValue(name)}`);
}
