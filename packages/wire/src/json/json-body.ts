import { type EncodedBody, JSON_TYPE } from "../encoded-body.js";
import { writeJson } from "./write-json.js";

const encoder = new TextEncoder();

/** A value as a JSON body. */
export function jsonBody(value: unknown, what: string): EncodedBody {
  return { body: encoder.encode(writeJson(value, what)), contentType: JSON_TYPE };
}
