import { homedir } from "node:os";
import { join } from "node:path";
import { ValidationError } from "@tinkex/base";
import { readFileIfThere } from "../read-file-if-there.js";

/** What one may say about the Hugging Face hub; what is left out comes from the environment, as in Python. */
export interface HubOptions {
  /** @defaultValue `HF_ENDPOINT`, else `https://huggingface.co` */
  readonly endpoint?: string;
  /** A user access token, for gated and private repositories. @defaultValue `HF_TOKEN`, else the one that `hf auth login` stored */
  readonly token?: string;
  /** @defaultValue `HF_HUB_CACHE`, else `hub` below `HF_HOME`, else `~/.cache/huggingface/hub` */
  readonly cacheDirectory?: string;
  /** Whether to use the cache alone. @defaultValue `HF_HUB_OFFLINE` or `TRANSFORMERS_OFFLINE` is `1`, `ON`, `YES` or `TRUE` */
  readonly offline?: boolean;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Where the hub is and how to deal with it. */
export interface HubSettings {
  /** Without a slash at the end. */
  readonly endpoint: string;
  readonly cacheDirectory: string;
  readonly offline: boolean;
  /** The access token, read when it is first needed. */
  token(): Promise<string | undefined>;
}

/** @throws ValidationError when the endpoint is no http(s) URL. */
export function resolveHubSettings(options: HubOptions = {}): HubSettings {
  const env = options.env ?? process.env;
  const setting = (name: string) => (env[name] === "" ? undefined : env[name]);
  const home =
    setting("HF_HOME") ?? join(setting("XDG_CACHE_HOME") ?? join(homedir(), ".cache"), "huggingface");
  const endpoint = (options.endpoint ?? setting("HF_ENDPOINT") ?? "https://huggingface.co").replace(
    /\/+$/,
    "",
  );
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol)) {
    throw new ValidationError(
      `The hub's endpoint ${JSON.stringify(endpoint)} is no http(s) URL. Check HF_ENDPOINT.`,
    );
  }
  return {
    endpoint,
    cacheDirectory: options.cacheDirectory ?? setting("HF_HUB_CACHE") ?? join(home, "hub"),
    offline: options.offline ?? (isOn(setting("HF_HUB_OFFLINE")) || isOn(setting("TRANSFORMERS_OFFLINE"))),
    async token() {
      const stored = () => readFileIfThere(setting("HF_TOKEN_PATH") ?? join(home, "token"));
      const token = (options.token ?? setting("HF_TOKEN") ?? (await stored()))?.trim();
      return token === "" ? undefined : token;
    },
  };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && ["1", "ON", "YES", "TRUE"].includes(value.toUpperCase());
}
