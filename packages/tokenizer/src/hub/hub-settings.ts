import { homedir } from "node:os";
import { join } from "node:path";
import { checkObject, checkString, ValidationError } from "@tinkex/base";
import { readFileIfThere } from "../files/read-file-if-there.js";
import { expandPath } from "./expand-path.js";

/** Options of the Hugging Face hub; what is left out comes from the environment, as in Python. */
export interface HubOptions {
  /** @defaultValue `HF_ENDPOINT`, else `https://huggingface.co` */
  readonly endpoint?: string;
  /**
   * A user access token, for gated and private repositories.
   * @defaultValue `HF_TOKEN`, else the one that `hf auth login` stored; none where `HF_HUB_DISABLE_IMPLICIT_TOKEN` is on
   */
  readonly token?: string;
  /** @defaultValue `HF_HUB_CACHE`, else `hub` below `HF_HOME`, else `~/.cache/huggingface/hub` */
  readonly cacheDirectory?: string;
  /** Uses the cache alone. @defaultValue `HF_HUB_OFFLINE`, or without it `TRANSFORMERS_OFFLINE`, is `1`, `ON`, `YES` or `TRUE` */
  readonly offline?: boolean;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The names of {@link HubOptions}. */
export const HUB_OPTIONS: Readonly<Record<keyof HubOptions, true>> = {
  endpoint: true,
  token: true,
  cacheDirectory: true,
  offline: true,
  env: true,
};

/** Address of the hub, and the settings for dealing with it. */
export interface HubSettings {
  /** Without a slash at the end. */
  readonly endpoint: string;
  readonly cacheDirectory: string;
  readonly offline: boolean;
  /**
   * The access token, read when it is first needed.
   * @throws ValidationError, without the token, when no header can carry it.
   */
  token(): Promise<string | undefined>;
}

/** @throws ValidationError when the endpoint is no http(s) URL, or holds a password or query. */
export function resolveHubSettings(options: HubOptions = {}): HubSettings {
  checkObject(options, "the options of fromHub");
  const env = options.env ?? process.env;
  checkObject(env, "fromHub: env");
  for (const name of ["endpoint", "token", "cacheDirectory"] as const) {
    if (options[name] !== undefined) checkString(options[name], `fromHub: ${name}`);
  }
  const setting = (name: string) => (env[name] === "" ? undefined : env[name]);
  const folder = (...names: readonly string[]) => {
    const path = names.map(setting).find((value) => value !== undefined);
    return path === undefined ? undefined : expandPath(path, env);
  };
  const home =
    folder("HF_HOME") ?? join(folder("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "huggingface");
  const endpoint = withoutEndingSlashes(
    options.endpoint ?? setting("HF_ENDPOINT") ?? "https://huggingface.co",
  );
  checkEndpoint(endpoint);
  return {
    endpoint,
    cacheDirectory:
      options.cacheDirectory ?? folder("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE") ?? join(home, "hub"),
    offline: options.offline ?? isOn(setting("HF_HUB_OFFLINE") ?? setting("TRANSFORMERS_OFFLINE")),
    async token() {
      const implied = async () =>
        setting("HF_TOKEN") ??
        setting("HUGGING_FACE_HUB_TOKEN") ??
        (await readFileIfThere(folder("HF_TOKEN_PATH") ?? join(home, "token")));
      const mayImply = !isOn(setting("HF_HUB_DISABLE_IMPLICIT_TOKEN"));
      const token = (options.token ?? (mayImply ? await implied() : undefined))?.trim();
      if (token === undefined || token === "") return undefined;
      checkToken(token);
      return token;
    },
  };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "ON", "YES", "TRUE"].includes(value.toUpperCase());
}

function withoutEndingSlashes(url: string): string {
  let { length } = url;
  while (url.charAt(length - 1) === "/") length -= 1;
  return url.slice(0, length);
}

/** Refuses an endpoint without showing it, as what is no plain address may hold a password. */
function checkEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new ValidationError(
      "the hub's endpoint is no http(s) URL; set HF_ENDPOINT to one such as https://huggingface.co",
      { path: ["endpoint"] },
    );
  }
  if (/[@?#]/.test(endpoint)) {
    throw new ValidationError(
      "the hub's endpoint must be a URL without a user name, password, query or fragment, got one with them; set HF_ENDPOINT to the address alone, and HF_TOKEN to an access token",
      { path: ["endpoint"] },
    );
  }
}

/** Refuses a token before any request: the error of a header that cannot carry it would show it. */
function checkToken(token: string): void {
  if (/^[\x21-\x7E]+$/.test(token)) return;
  throw new ValidationError(
    "the access token of the hub must be one word of visible ASCII characters, got one with a line break, a space or another character; set HF_TOKEN (or the file that `hf auth login` wrote) to the token alone",
    { path: ["token"] },
  );
}
