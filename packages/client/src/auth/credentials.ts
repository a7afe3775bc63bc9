import {
  CredentialError,
  type CredentialSource,
  checkApiKey,
  credentialCommand,
  isLoopback,
  readStoredKey,
} from "@tinkex/http";

/** The place that a credential comes from: an option, a variable, the store of `tinker auth login`; `none` where none is needed. */
export type CredentialOrigin =
  | "apiKey"
  | "credential"
  | "TINKER_API_KEY"
  | "TINKER_CREDENTIAL_CMD"
  | "store"
  | "none";

/** The credential that goes with requests: a key, or a function that gives one. Neither, for a server on this machine. */
export type Credentials = { readonly from: CredentialOrigin } & (
  | { readonly apiKey: string | undefined }
  | { readonly credential: CredentialSource }
);

/** The places that credentials may come from. */
export interface CredentialOptions {
  readonly apiKey: string | undefined;
  readonly credential: CredentialSource | undefined;
  /** Reads an environment variable; empty ones are unset. */
  readonly fromEnv: (name: string) => string | undefined;
  readonly baseUrl: string;
}

/**
 * Chooses the credential: the options, else `TINKER_API_KEY`, else the command in `TINKER_CREDENTIAL_CMD`, else the key that
 * `tinker auth login` has stored. A `TINKER_API_KEY` that cannot be one gives way to a command. Nothing is read or run yet.
 *
 * @throws ValidationError for a key that cannot work
 */
export function resolveCredentials({ apiKey, credential, fromEnv, baseUrl }: CredentialOptions): Credentials {
  if (credential !== undefined) return { from: "credential", credential };
  const envKey = fromEnv("TINKER_API_KEY");
  const key = apiKey ?? envKey;
  const command = fromEnv("TINKER_CREDENTIAL_CMD");
  const wantsCommand = apiKey === undefined && !isUsable(envKey, baseUrl);
  if (wantsCommand && command !== undefined)
    return { from: "TINKER_CREDENTIAL_CMD", credential: credentialCommand(command) };
  if (key !== undefined || isLoopback(baseUrl)) {
    const given = apiKey === undefined ? "TINKER_API_KEY" : "apiKey";
    return { from: key === undefined ? "none" : given, apiKey: checkApiKey(key, baseUrl) };
  }
  const home = homeOf(fromEnv);
  const stored = (): Promise<string> => storedKey(home, baseUrl);
  return { from: "store", credential: Object.assign(stored, { place: 'the login of "tinker auth login"' }) };
}

/** Finds the user's home folder, where the store is. */
export function homeOf(fromEnv: CredentialOptions["fromEnv"]): string | undefined {
  return fromEnv("HOME") ?? fromEnv("USERPROFILE");
}

function isUsable(key: string | undefined, baseUrl: string): boolean {
  if (key === undefined) return false;
  try {
    checkApiKey(key, baseUrl);
    return true;
  } catch {
    return false;
  }
}

async function storedKey(home: string | undefined, baseUrl: string): Promise<string> {
  const key = home === undefined ? undefined : await readStoredKey(home);
  if (key !== undefined) return key;
  throw new CredentialError(
    `no API key for ${baseUrl}: set TINKER_API_KEY or TINKER_CREDENTIAL_CMD, log in with "tinker auth login", or give the option apiKey; for a server on this machine set TINKER_BASE_URL or the option baseUrl`,
  );
}
