/** Both become names of folders, so neither may hold a separator or begin with a dot. */
const CHECKPOINT_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,254}$/;
const RUN_ID = /^[A-Za-z0-9_-][A-Za-z0-9_.:-]{0,199}$/;

export function isCheckpointName(name: string): boolean {
  return CHECKPOINT_NAME.test(name);
}

export function isRunId(id: string): boolean {
  return RUN_ID.test(id);
}
