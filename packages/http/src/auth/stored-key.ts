import { readCredentialStore } from "./credential-store.js";

/**
 * The key that `tinker auth login` has stored and made the one to use, or `undefined` when there is none.
 *
 * @param home - the user's home folder
 * @throws CredentialError for a store that cannot be read; its message names the file and holds nothing of it
 */
export async function readStoredKey(home: string): Promise<string | undefined> {
  const { default: chosen, keys } = await readCredentialStore(home);
  return chosen === undefined ? undefined : keys[chosen]?.key;
}
