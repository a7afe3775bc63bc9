import { createHmac, randomBytes } from "node:crypto";
import type { Clock } from "@tinkex/base";
import { RequestRefusal } from "../errors/request-refusal.js";
import { isSameSecret } from "./is-same-secret.js";

/** Path under which signed files are served, behind the prefix of the API. */
export const FILES_PATH = "/files";

/** Time for which a signed address is good. */
const VALID_MS = 60 * 60_000;

/** The parts of a file's address: run, kind and name of a checkpoint, and one of its files, or none for the archive of them all. */
export type FilePlace = readonly string[];

/** Query of a signed address. */
export interface Signature {
  readonly expires: number;
  readonly signature: string;
}

/**
 * Addresses of files that anybody may fetch who has them, for an hour: they carry no key, as those of a storage service. Those of one
 * server are not good for the next.
 */
export class SignedFiles {
  readonly #clock: Clock;
  readonly #secret = randomBytes(32);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Signs files until one and the same moment. @returns their paths behind the prefix of the API, and that moment */
  sign(files: readonly FilePlace[]): { readonly paths: readonly string[]; readonly expires: string } {
    const expires = this.#clock.now() + VALID_MS;
    const paths = files.map((place) => {
      const path = place.map(encodeURIComponent).join("/");
      return `${FILES_PATH}/${path}?expires=${expires}&signature=${this.#digest(place, expires)}`;
    });
    return { paths, expires: new Date(expires).toISOString() };
  }

  /** @throws RequestRefusal 403 for a signature that is not this server's or is over */
  check(file: FilePlace, { expires, signature }: Signature): void {
    if (!isSameSecret(signature, this.#digest(file, expires))) {
      throw new RequestRefusal(403, "the address is not signed by this server: ask for the addresses again");
    }
    if (expires <= this.#clock.now()) {
      throw new RequestRefusal(
        403,
        `the address was good until ${new Date(expires).toISOString()}: ask for the addresses again`,
      );
    }
  }

  #digest(place: FilePlace, expires: number): string {
    return createHmac("sha256", this.#secret)
      .update(JSON.stringify([...place, expires]))
      .digest("hex");
  }
}
