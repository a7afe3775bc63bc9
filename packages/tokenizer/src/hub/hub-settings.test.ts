import { homedir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { ValidationError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import { fromHub } from "./from-hub.js";
import { resolveHubSettings } from "./hub-settings.js";

/** All that a program can print of an error. */
function shown(error: unknown): string {
  return `${String(error)} ${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`;
}

describe("an access token that no header can carry", () => {
  const SECRET = "hf_SECRETTOKEN";
  it.each([
    ["a line break inside", `${SECRET}\nsecond line`],
    ["a carriage return inside", `${SECRET}\r\nsecond line`],
    ["a NUL", `${SECRET}\0`],
    ["an escape sign", `${SECRET}\u001b[0m`],
    ["a space inside", `${SECRET} ${SECRET}`],
    ["a letter beyond ASCII", `${SECRET}ü`],
  ])("is refused and never shown: %s", async (_name, token) => {
    let requests = 0;
    const counting: typeof fetch = (...request) => {
      requests++;
      return fetch(...request);
    };
    for (const options of [{ token }, { env: { HF_TOKEN: token } }]) {
      const endpoint = "http://127.0.0.1:9";
      const load = fromHub({
        env: {},
        ...options,
        endpoint,
        fetch: counting,
        cacheDirectory: "/nonexistent",
      });
      const error: unknown = await load({ id: "org/model" }).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(ValidationError);
      expect(shown(error)).toContain("HF_TOKEN");
      expect(shown(error)).not.toContain("SECRET");
    }
    expect(requests).toBe(0);
  });

  it("is fit once the white space around it is gone", async () => {
    expect(await resolveHubSettings({ env: { HF_TOKEN: "  hf_a\n" } }).token()).toBe("hf_a");
    expect(await resolveHubSettings({ env: {}, token: " \n" }).token()).toBeUndefined();
  });
});

describe("an endpoint that holds a secret", () => {
  it.each([
    "http://user:PASS@hub.test",
    "https://PASS@hub.test/",
    "https://hub.test/?key=PASS",
    "https://hub.test/#PASS",
    "http://user:PASS@[",
    "ftp://user:PASS@hub.test",
    "user:PASS@hub.test",
    "PASS",
  ])("is refused and never shown: %s", (endpoint) => {
    for (const options of [{ endpoint }, { env: { HF_ENDPOINT: endpoint } }]) {
      let error: unknown;
      try {
        resolveHubSettings(options);
      } catch (cause) {
        error = cause;
      }
      expect(error).toBeInstanceOf(ValidationError);
      expect(shown(error)).toContain("HF_ENDPOINT");
      expect(shown(error)).not.toContain("PASS");
    }
  });

  it("is fit with slashes at its end, a path and a port", () => {
    expect(resolveHubSettings({ env: {}, endpoint: "http://hub.test:8080/api///" }).endpoint).toBe(
      "http://hub.test:8080/api",
    );
  });
});

describe("settings of the environment, as huggingface_hub 2.4.0 reads them", () => {
  const settings = (env: Record<string, string>) =>
    resolveHubSettings({ env: { HOME: "/elsewhere", ...env } });
  const HOME = homedir();

  it.each<[Record<string, string>, string]>([
    [{ HF_HOME: "~/hf" }, join(HOME, "hf", "hub")],
    [{ HF_HOME: "~" }, join(HOME, "hub")],
    [{ HF_HUB_CACHE: "$SCRATCH/hub" }, "/scratch/hub"],
    [{ HF_HUB_CACHE: `\${SCRATCH}/$NONE/\${NONE}/$` }, `/scratch/$NONE/\${NONE}/$`],
    [{ HF_HOME: "/a", HUGGINGFACE_HUB_CACHE: "/b" }, "/b"],
    [{ HF_HUB_CACHE: "/c", HUGGINGFACE_HUB_CACHE: "/b" }, "/c"],
    [{ XDG_CACHE_HOME: "/x" }, join("/x", "huggingface", "hub")],
    [{ HF_HOME: "/a~/~" }, join("/a~/~", "hub")],
    [{ HF_HOME: "~nobody/x" }, join("~nobody/x", "hub")],
    [{ XDG_CACHE_HOME: "~/x" }, join(HOME, "x", "huggingface", "hub")],
    [{ HF_HUB_CACHE: "$$SCRATCH" }, "$/scratch"],
    [{ HF_HUB_CACHE: "a$SCRATCHb" }, "a$SCRATCHb"],
  ])("place of the cache: %j", (env, directory) => {
    expect(settings({ SCRATCH: "/scratch", ...env }).cacheDirectory).toBe(directory);
  });

  it.each<[Record<string, string>, boolean]>([
    [{ HF_HUB_OFFLINE: "0", TRANSFORMERS_OFFLINE: "1" }, false],
    [{ HF_HUB_OFFLINE: "", TRANSFORMERS_OFFLINE: "1" }, true],
    [{ TRANSFORMERS_OFFLINE: "true" }, true],
  ])("offline: %j", (env, offline) => {
    expect(settings(env).offline).toBe(offline);
  });

  it("has the token of an older name, and none where it may not be sent by itself", async () => {
    expect(await settings({ HUGGING_FACE_HUB_TOKEN: "hf_old" }).token()).toBe("hf_old");
    expect(await settings({ HUGGING_FACE_HUB_TOKEN: "hf_old", HF_TOKEN: "hf_new" }).token()).toBe("hf_new");
    const env = { HF_TOKEN: "hf_new", HF_HUB_DISABLE_IMPLICIT_TOKEN: "1" };
    expect(await settings(env).token()).toBeUndefined();
    expect(await resolveHubSettings({ env, token: "hf_given" }).token()).toBe("hf_given");
  });
});
