import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take longest, in the order in which they begin. */
const LONGEST = ["install.rehearsal.ts", "consumer-local.packaging.ts", "typescript-versions.packaging.ts"];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const index = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
  return index === -1 ? LONGEST.length : index;
};

/** Begins with the longest files, beside which all others run: by name, the longest of all came last, and a core was idle. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}
