import { ApiStatusError } from "@tinkex/base";
import { detailOf } from "../session/session-lost-error.js";
import { SequenceBrokenError } from "./sequence-broken-error.js";
import { lostError } from "./settle-sequence.js";
import type { SequenceId, TrainedModel } from "./trained-model.js";

/**
 * Waits for the result of a request that the service has accepted, and learns from a failure:
 *
 * - The service no longer has the model, as after a restart: the client takes no more.
 * - It no longer knows the request: the session is asked for, whose loss is that of the model.
 * - It has not run the request as its id is not the next one: the ids go on from the one that it names.
 * - It gives another status of its own: it may have failed the request before it counted the id, so that the next operation has to
 *   show whether its id is the next one.
 *
 * @returns the result; it may be left alone, its rejection harms nobody
 */
export function settleResult<Result>(
  model: TrainedModel,
  id: SequenceId,
  result: Promise<Result>,
): Promise<Result> {
  const settled = result.catch(async (error: unknown) => {
    throw isUnknown(error) ? await learnOfUnknown(model, id, error) : learn(model, id, error);
  });
  settled.catch(() => {});
  return settled;
}

/**
 * Finds out whether a request was refused for its id, if that is in doubt; the ids then go on from the one that the service wants.
 * Waits for the result, which no operation behind it can do without: all of them would be refused too.
 */
export async function isOutOfOrder(model: TrainedModel, result: Promise<unknown>): Promise<boolean> {
  if (!model.isOrderInDoubt) return false;
  const error = await result.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  const isRefused = wantedId(error) !== undefined;
  // Another failure leaves the same doubt to the next operation.
  if (isRefused || error === undefined) model.isOrderInDoubt = false;
  return isRefused;
}

function learn(model: TrainedModel, id: SequenceId, error: unknown): unknown {
  if (!(error instanceof ApiStatusError)) return error;
  if (hasLostModel(model, error)) {
    const lost = lostError(model, error);
    model.turns.break(lost);
    return lost;
  }
  const wanted = wantedId(error);
  if (wanted !== undefined) model.sequence.goOnFrom(wanted, id);
  else if (error.status < 500) model.isOrderInDoubt = true;
  return error;
}

function isUnknown(error: unknown): error is ApiStatusError {
  return error instanceof ApiStatusError && (error.status === 404 || error.status === 410);
}

/** Learns from a result that is not to be had: it alone may be gone, or what the work was about, or the whole session. */
async function learnOfUnknown(model: TrainedModel, id: SequenceId, error: ApiStatusError): Promise<unknown> {
  const learnt = learn(model, id, error);
  if (learnt !== error) return learnt;
  const { session, environment } = model.channel;
  const state = await session.ask();
  if (state === "known" || environment.lifecycle.closing.aborted) return error;
  const broken =
    state === "lost"
      ? lostError(model, error)
      : new SequenceBrokenError(model.id, [id.value], {
          cause: error,
          isPartAccepted: false,
          lastCheckpoint: model.checkpoints.latest,
        });
  model.turns.break(broken);
  return broken;
}

/**
 * Tells whether a server says that it does not have the model, which it names right before or behind those words: a checkpoint of the
 * model that is not found is another matter.
 */
function hasLostModel({ id }: TrainedModel, error: ApiStatusError): boolean {
  const detail = detailOf(error)?.toLowerCase() ?? "";
  const model = id.toLowerCase();
  const sentences = [
    `model ${model} not loaded`,
    `model ${model} not found`,
    `unknown model ${model}`,
    `unknown model: ${model}`,
  ];
  return sentences.some((sentence) => detail.includes(sentence));
}

/** Reads the id that the service wants next out of its refusal of a later one, e.g. `expected 5, got 7`. */
function wantedId(error: unknown): number | undefined {
  if (!(error instanceof ApiStatusError) || error.status !== 409) return undefined;
  const [, wanted, got] = /expected (\d{1,15}), got (\d{1,15})/.exec(detailOf(error) ?? "") ?? [];
  return Number(wanted) < Number(got) ? Number(wanted) : undefined;
}
