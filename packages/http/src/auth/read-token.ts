import { ResponseError } from "@tinkex/types/base";

/**
 * The token that the exchange answers with, as `{"jwt": "…"}`.
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
  if (typeof answer === "object" && answer !== null && "jwt" in answer && typeof answer.jwt === "string") {
    return answer.jwt;
  }
  throw new ResponseError("the answer to auth_token holds no token");
}
