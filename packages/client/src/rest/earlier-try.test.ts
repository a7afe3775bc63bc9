import { ApiStatusError } from "@tinkex/base";
import { describe, expect, it } from "vitest";
import type { ServiceClient } from "../service/service-client.js";
import { openService, throughSleeps } from "../testing/open-service.js";
import type { Reply } from "../testing/stub-service.js";

const PATH = "tinker://run/weights/a";
const PLACE = "training_runs/run/checkpoints/weights/a";
const done: Reply = { status: 204, body: "" };
/** Tries that the service may have done although their caller did not hear of it. */
const DOUBTFUL = [
  ["is lost with its connection", { isReset: true }],
  ["is an error of the server", { status: 502, body: { detail: "bad gateway" } }],
] as const satisfies readonly (readonly [string, Reply])[];
const REFUSED = { status: 429, headers: { "retry-after": "1" }, body: { detail: "slow down" } } as const;

/** Changes whose repetition is refused. */
const CHANGES = [
  ["deleting", PLACE, 404, ({ rest }) => rest.deleteCheckpointFromTinkerPath(PATH)],
  ["deleting by ids", PLACE, 404, ({ rest }) => rest.deleteCheckpoint("run", "weights/a")],
  ["publishing", `${PLACE}/publish`, 409, ({ rest }) => rest.publishCheckpointFromTinkerPath(PATH)],
  ["unpublishing", `${PLACE}/publish`, 409, ({ rest }) => rest.unpublishCheckpointFromTinkerPath(PATH)],
] as const satisfies readonly (readonly [
  string,
  string,
  number,
  (service: ServiceClient) => PromiseLike<unknown>,
])[];

/** Changes that the service makes again without a word. */
const REPEATABLE = [
  ["setting how long it lives", `${PLACE}/ttl`, ({ rest }) => rest.setCheckpointTtlFromTinkerPath(PATH, 60)],
  ["assigning a project", "sessions/s/project", ({ rest }) => rest.assignSessionProject("s", "p")],
] as const satisfies readonly (readonly [string, string, (service: ServiceClient) => PromiseLike<unknown>])[];

describe.each(DOUBTFUL)("a change whose first answer %s", (_, doubtful) => {
  it.each(CHANGES)("has succeeded: %s a checkpoint", async (_name, place, status, change) => {
    const { stub, service, clock } = await openService();
    stub.script(place, doubtful, { status, body: { detail: "is so already" } });
    await expect(throughSleeps(clock, change(service))).resolves.toBeUndefined();
    expect(stub.seen(place)).toHaveLength(2);
  });

  it.each(REPEATABLE)("is made again: %s", async (_name, place, change) => {
    const { stub, service, clock } = await openService();
    stub.script(place, doubtful, done);
    await expect(throughSleeps(clock, change(service))).resolves.toBeUndefined();
    expect(stub.seen(place)).toHaveLength(2);
  });
});

describe("a change that is refused", () => {
  it.each(CHANGES)(
    "has failed where no try was in doubt: %s a checkpoint",
    async (_, place, status, change) => {
      const { stub, service, clock } = await openService();
      const refusal = { status, body: { detail: "is so already" } };
      stub.script(place, refusal, REFUSED, refusal);
      for (let round = 0; round < 2; round += 1) {
        const failure = await throughSleeps(clock, change(service)).then(
          undefined,
          (error: unknown) => error,
        );
        expect(failure).toBeInstanceOf(ApiStatusError);
        expect(failure).toMatchObject({ status, mayHaveArrived: false });
      }
      expect(stub.seen(place)).toHaveLength(3);
    },
  );

  it.each(CHANGES)(
    "for another reason has failed also behind an answer that was lost: %s a checkpoint",
    async (_, place, status, change) => {
      const { stub, service, clock } = await openService();
      for (const other of status === 404 ? [400, 403] : [400, 403, 404]) {
        stub.script(place, { isReset: true }, { status: other, body: { detail: "another fault" } });
        const failure = await throughSleeps(clock, change(service)).then(
          undefined,
          (error: unknown) => error,
        );
        expect(failure).toMatchObject({ status: other, mayHaveArrived: true });
      }
    },
  );
});
