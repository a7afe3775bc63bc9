import { checkString, describeValue, ValidationError } from "@tinkex/base";

/** Purpose of a checkpoint: to go on training, to sample from, or to take away as files. */
export type CheckpointType = "training" | "sampler" | "external";

/** The part of a path that says the kind. */
export type CheckpointFolder = "weights" | "sampler_weights" | "external_weights";

const typeOfFolder: Readonly<Record<CheckpointFolder, CheckpointType>> = {
  weights: "training",
  sampler_weights: "sampler",
  external_weights: "external",
};

const folderOfType: Readonly<Record<CheckpointType, CheckpointFolder>> = {
  training: "weights",
  sampler: "sampler_weights",
  external: "external_weights",
};

const SCHEME = "tinker://";

/** A `tinker://<run>/<folder>/<name>` path in its parts. */
export interface CheckpointPath {
  readonly tinker_path: string;
  /** May hold colons, e.g. `<session>:train:0`. */
  readonly training_run_id: string;
  readonly checkpoint_type: CheckpointType;
  /** Folder and name, e.g. `weights/0001`. */
  readonly checkpoint_id: string;
}

/** Reads and writes `tinker://` paths. */
export const CheckpointPath = {
  /**
   * Reads the parts of a path. Nothing is trimmed, unescaped or lower-cased.
   *
   * @throws ValidationError that says which part is wrong
   */
  parse(tinkerPath: string): CheckpointPath {
    if (typeof tinkerPath !== "string" || !tinkerPath.startsWith(SCHEME))
      throw pathError(tinkerPath, `it does not begin with ${SCHEME}`);
    const parts = tinkerPath.slice(SCHEME.length).split("/");
    const [run, folder, name] = parts;
    if (parts.length !== 3 || run === undefined || folder === undefined || name === undefined) {
      throw pathError(tinkerPath, "it does not have three parts");
    }
    if (!Object.hasOwn(typeOfFolder, folder)) {
      throw pathError(
        tinkerPath,
        `its middle part must be ${Object.keys(typeOfFolder).join(", ")}, got "${folder}"`,
      );
    }
    if (run === "") throw pathError(tinkerPath, "its training run is empty");
    if (name === "") throw pathError(tinkerPath, "its checkpoint name is empty");
    return {
      tinker_path: tinkerPath,
      training_run_id: run,
      // hasOwn above has shown that the folder is one of the three.
      checkpoint_type: typeOfFolder[folder as CheckpointFolder],
      checkpoint_id: `${folder}/${name}`,
    };
  },

  /**
   * Writes the path of a checkpoint, e.g. `format("run-1", "sampler", "step-40")` is `tinker://run-1/sampler_weights/step-40`.
   *
   * @throws ValidationError when a part is empty or holds a slash, or the type is none of the three
   */
  format(trainingRunId: string, type: CheckpointType, name: string): string {
    if (typeof type !== "string" || !Object.hasOwn(folderOfType, type)) {
      const types = Object.keys(folderOfType).join(", ");
      throw new ValidationError(
        `the type of a checkpoint must be one of ${types}, got ${describeValue(type)}`,
      );
    }
    checkString(trainingRunId, "CheckpointPath.format: trainingRunId");
    checkString(name, "CheckpointPath.format: name");
    return CheckpointPath.parse(`${SCHEME}${trainingRunId}/${folderOfType[type]}/${name}`).tinker_path;
  },
} as const;

function pathError(path: unknown, fault: string): ValidationError {
  return new ValidationError(
    `${describeValue(path)} is not a checkpoint path: ${fault} (expected tinker://<run>/<weights|sampler_weights|external_weights>/<name>)`,
  );
}
