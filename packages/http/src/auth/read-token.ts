import { ResponseError } from "@tinkex/base";

/** Tells whether a value can be sent in a header, and is not empty. */
function isToken(jwt: unknown): jwt is string {
  return typeof jwt === "string" && /^[\x21-\x7e]+$/.test(jwt);
}

/**
 * Reads the token that the exchange answers with, as `{"jwt": "…"}`.
 *
 * @throws ResponseError when there is none
 */
export function readToken(body: Uint8Array): string {
  let answer: unknown;
  try {
    answer = JSON.parse(new TextDecoder().decode(body));
  } catch {
    answer = undefined;
  }
  if (typeof answer === "object" && answer !== null && "jwt" in answer && isToken(answer.jwt)) {
    return answer.jwt;
  }
  throw new ResponseError("the answer to auth_token holds no token");
}
