import { ApiStatusError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { Encoding } from "../session/server-generation.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { type EncodingAttempt, EncodingChoice, isAboutEncoding } from "./encoding-choice.js";

/** An answer of a server: a success, or the error of a status. */
type Answer = ApiStatusError | undefined;

const ok = undefined;
const refused = (status: number, body: unknown = ""): ApiStatusError =>
  new ApiStatusError(`${status}`, { code: "bad_request", status, body, attempts: 1 });

/** Sends through `choice` to a server that answers each encoding as told; gives the encodings that were tried. */
function send(
  choice: EncodingChoice,
  answers: Readonly<Record<Encoding, Answer>>,
): { readonly tried: string[]; readonly status: number } {
  const tried: string[] = [];
  let attempt: EncodingAttempt = choice.first;
  for (;;) {
    const { encoding, finalStatuses } = attempt;
    tried.push(finalStatuses === undefined ? encoding : `${encoding}?`);
    const error = answers[encoding];
    if (error === undefined) {
      choice.accepted(attempt);
      return { tried, status: 200 };
    }
    const next = choice.nextAttempt(attempt, error);
    if (next === undefined) return { tried, status: error.status };
    attempt = next;
  }
}

const auto = (preferred: Encoding) => new EncodingChoice("auto", preferred, new RecordingLogger());

describe("EncodingChoice", () => {
  it("stays with what worked", () => {
    const choice = auto("protobuf");
    const answers = { protobuf: ok, json: ok };
    expect(send(choice, answers)).toEqual({ tried: ["protobuf?"], status: 200 });
    expect(send(choice, answers)).toEqual({ tried: ["protobuf"], status: 200 });
  });

  it.each([
    ["404", refused(404)],
    ["the 404 of a router", refused(404, { detail: "Not Found" })],
    ["415", refused(415)],
    ["a 500 that is not the API's", refused(500, "Internal Server Error")],
  ])("tries JSON once after %s, and remembers it", (_name, refusal) => {
    const choice = auto("protobuf");
    const answers = { protobuf: refusal, json: ok };
    expect(send(choice, answers)).toEqual({ tried: ["protobuf?", "json"], status: 200 });
    expect(send(choice, answers)).toEqual({ tried: ["json"], status: 200 });
  });

  it("meets a JSON server that answers 415 the same way round", () => {
    const choice = auto("json");
    expect(send(choice, { json: refused(415), protobuf: ok })).toEqual({
      tried: ["json?", "protobuf"],
      status: 200,
    });
    expect(choice.current).toBe("protobuf");
  });

  it("leaves a 500 of the API itself to the transport's own rules", () => {
    const choice = auto("protobuf");
    const answers = { protobuf: refused(500, { detail: "worker lost" }), json: ok };
    expect(send(choice, answers)).toEqual({ tried: ["protobuf?", "protobuf"], status: 500 });
  });

  it("decides nothing while both encodings are refused", () => {
    const choice = auto("protobuf");
    expect(send(choice, { protobuf: refused(404), json: refused(404) })).toEqual({
      tried: ["protobuf?", "json"],
      status: 404,
    });
    expect(send(choice, { protobuf: ok, json: ok })).toEqual({
      tried: ["protobuf?"],
      status: 200,
    });
  });

  it("never changes what the caller has fixed", () => {
    const choice = new EncodingChoice("json", "protobuf", new RecordingLogger());
    expect(send(choice, { json: refused(415), protobuf: ok })).toEqual({
      tried: ["json"],
      status: 415,
    });
  });

  it.each([
    [404, { detail: "Model not found" }],
    [422, { detail: "bad datum" }],
    [409, { detail: "sequence" }],
  ])("takes a %i with a word of the API for what it is, not for a word on the encoding", (status, body) => {
    const choice = auto("protobuf");
    expect(send(choice, { protobuf: refused(status, body), json: ok })).toEqual({
      tried: ["protobuf?"],
      status,
    });
    expect(isAboutEncoding(refused(status, body))).toBe(false);
  });
});
