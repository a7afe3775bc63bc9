import type { TransportResponse } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { Encoding } from "../session/server-generation.js";
import { RecordingLogger } from "../testing/recording-logger.js";
import { type EncodingAttempt, EncodingChoice } from "./encoding-choice.js";

function response(status: number, body = ""): TransportResponse {
  return { status, headers: {}, body: new TextEncoder().encode(body), attempts: 1 };
}

/** Sends through `choice` to a server that answers each encoding as told; gives the encodings that were tried. */
async function send(
  choice: EncodingChoice,
  answers: Readonly<Record<Encoding, TransportResponse | Error>>,
): Promise<{ readonly tried: string[]; readonly status: number | string }> {
  const tried: string[] = [];
  try {
    let status = 0;
    let attempt: EncodingAttempt | undefined = choice.firstAttempt();
    while (attempt !== undefined) {
      const { encoding, returnStatuses }: EncodingAttempt = attempt;
      tried.push(returnStatuses.length > 0 ? `${encoding}?` : encoding);
      const answer = answers[encoding];
      if (answer instanceof Error) throw answer;
      if (answer.status >= 300 && !returnStatuses.includes(answer.status))
        throw new Error(`thrown ${answer.status}`);
      status = answer.status;
      attempt = choice.nextAttempt(attempt, answer);
    }
    return { tried, status };
  } catch (error) {
    return { tried, status: (error as Error).message };
  }
}

const auto = (preferred: Encoding) => new EncodingChoice("auto", preferred, new RecordingLogger());

describe("EncodingChoice", () => {
  it("stays with what worked", async () => {
    const choice = auto("protobuf");
    const answers = { protobuf: response(200), json: response(200) };
    expect(await send(choice, answers)).toEqual({ tried: ["protobuf?"], status: 200 });
    expect(await send(choice, answers)).toEqual({ tried: ["protobuf"], status: 200 });
  });

  it.each([
    ["404", response(404)],
    ["415", response(415)],
    ["a 500 that is not the API's", response(500, "Internal Server Error")],
  ])("tries JSON once after %s, and remembers it", async (_name, refusal) => {
    const choice = auto("protobuf");
    const answers = { protobuf: refusal, json: response(200) };
    expect(await send(choice, answers)).toEqual({ tried: ["protobuf?", "json"], status: 200 });
    expect(await send(choice, answers)).toEqual({ tried: ["json"], status: 200 });
  });

  it("meets a JSON server that answers 415 the same way round", async () => {
    const choice = auto("json");
    expect(await send(choice, { json: response(415), protobuf: response(200) })).toEqual({
      tried: ["json?", "protobuf"],
      status: 200,
    });
    expect(choice.current).toBe("protobuf");
  });

  it("leaves a 500 of the API itself to the transport's own rules", async () => {
    const choice = auto("protobuf");
    const answers = { protobuf: response(500, '{"detail":"worker lost"}'), json: response(200) };
    expect(await send(choice, answers)).toEqual({ tried: ["protobuf?", "protobuf"], status: "thrown 500" });
  });

  it("decides nothing while both encodings are refused", async () => {
    const choice = auto("protobuf");
    expect(await send(choice, { protobuf: response(404), json: response(404) })).toEqual({
      tried: ["protobuf?", "json"],
      status: "thrown 404",
    });
    expect(await send(choice, { protobuf: response(200), json: response(200) })).toEqual({
      tried: ["protobuf?"],
      status: 200,
    });
  });

  it("never changes what the caller has fixed", async () => {
    const choice = new EncodingChoice("json", "protobuf", new RecordingLogger());
    expect(await send(choice, { json: response(415), protobuf: response(200) })).toEqual({
      tried: ["json"],
      status: "thrown 415",
    });
  });
});
