import { ValidationError } from "@tinkex/base";

/** @throws ValidationError when a name would lead out of the repository's own folder or URL. */
export function checkRepository(id: string, revision: string): void {
  if (!/^[\w.-]+(\/[\w.-]+)?$/.test(id) || /\.\.|--|(^|\/)[.-]/.test(id)) {
    throw new ValidationError(
      `${JSON.stringify(id)} is not the name of a Hugging Face repository, which is "name" or "organisation/name"`,
      { path: ["id"] },
    );
  }
  if (!/^[\w./-]+$/.test(revision) || revision.split("/").some((part) => /^\.*$/.test(part))) {
    throw new ValidationError(`${JSON.stringify(revision)} is not a branch, tag or commit`, {
      path: ["revision"],
    });
  }
}
