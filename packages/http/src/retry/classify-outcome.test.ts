import { describe, expect, it } from "vitest";
import type { TryOutcome } from "../errors/try-outcome.js";
import { OPERATIONS } from "../operations/operations.js";
import { classifyFailure, isSuccess } from "./classify-outcome.js";

const { optim_step, save_weights, revoke_api_key, get_checkpoint_archive } = OPERATIONS;
const answer = (status: number, headers = {}): TryOutcome => ({
  kind: "answer",
  status,
  headers,
  body: Uint8Array.of(),
});
const broken = (code: string): TryOutcome => ({
  kind: "broken",
  cause: Object.assign(new Error("x"), { code }),
  isStaleConnection: false,
});

describe("classifyFailure", () => {
  it.each([408, 409, 425, 429, 500, 503, 599])("transport 34: %i may pass", (status) => {
    expect(classifyFailure(answer(status), optim_step, 0)).toEqual({ canRetry: true });
  });

  it.each([300, 302, 304, 400, 401, 402, 403, 404, 410, 418, 422, 600])(
    "transport 21, 34: %i is final",
    (status) => {
      expect(classifyFailure(answer(status), optim_step, 0)).toEqual({ canRetry: false });
    },
  );

  it.each([200, 202, 204, 299])("%i is a success", (status) => {
    expect(isSuccess(answer(status), optim_step, undefined)).toBe(true);
  });

  it("a status the caller reads itself is a success", () => {
    expect(isSuccess(answer(429), optim_step, [429])).toBe(true);
    expect(isSuccess(answer(429), optim_step, [409])).toBe(false);
  });

  it("a name that is taken stays taken", () => {
    expect(classifyFailure(answer(409), save_weights, 0)).toMatchObject({ canRetry: false });
    expect(classifyFailure(answer(503), save_weights, 0)).toMatchObject({ canRetry: true });
  });

  it("a status that a call calls final is not retried, and no other is", () => {
    expect(classifyFailure(answer(409), optim_step, 0, [409])).toEqual({ canRetry: false });
    expect(classifyFailure(answer(500), save_weights, 0, [500])).toEqual({ canRetry: false });
    expect(classifyFailure(answer(503), optim_step, 0, [409])).toEqual({ canRetry: true });
  });

  it("the place of an archive is its answer", () => {
    expect(isSuccess(answer(302), get_checkpoint_archive, undefined)).toBe(true);
    expect(isSuccess(answer(302), optim_step, undefined)).toBe(false);
  });

  it("what is not idempotent is not sent twice", () => {
    expect(classifyFailure(broken("ECONNRESET"), revoke_api_key, 0)).toMatchObject({ canRetry: false });
  });

  it.each([
    ["ECONNRESET", true],
    ["ECONNREFUSED", true],
    ["EAI_AGAIN", true],
    ["UND_ERR_SOCKET", true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", false],
    ["CERT_HAS_EXPIRED", false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", false],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", false],
    ["UND_ERR_INVALID_ARG", false],
    ["UND_ERR_NOT_SUPPORTED", false],
    ["UND_ERR_REQ_CONTENT_LENGTH_MISMATCH", false],
    ["UND_ERR_RES_CONTENT_LENGTH_MISMATCH", true],
  ])("%s: sending again %s", (code, retry) => {
    expect(classifyFailure(broken(code), optim_step, 0)).toEqual({ canRetry: retry });
  });

  it.each([
    [407, false],
    [503, true],
  ])("a proxy of undici's own that answers %s: sending again %s", (status, retry) => {
    const cause = Object.assign(new Error(`Proxy response (${status}) !== 200 when HTTP Tunneling`), {
      code: "UND_ERR_ABORTED",
    });
    const outcome = { ...broken("UND_ERR_ABORTED"), cause };
    expect(classifyFailure(outcome, optim_step, 0)).toEqual({ canRetry: retry });
  });
});
