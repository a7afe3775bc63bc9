import { ValidationError } from "@tinkex/base";
import { type KlOptions, reverseKlAdvantages } from "../advantage/reverse-kl.js";
import { type PolicyDatum, trajectoryDatums } from "../datum/trajectory-datums.js";
import type { GroupExamples } from "./group-examples.js";
import type { SampledGroups } from "./rollout-pipeline.js";

/**
 * Examples whose advantages are what a teacher says of each sampled token, whatever the rewards: −coefficient × (student − teacher).
 *
 * @param score - gives the teacher's log-probability of each target of a datum
 */
export async function distilledExamples(
  groups: SampledGroups["groups"],
  score: (datum: PolicyDatum["datum"]) => Promise<readonly number[]>,
  options: KlOptions,
): Promise<GroupExamples> {
  const taught = groups.map((group) =>
    group.map(({ transitions }) => trajectoryDatums(transitions, 0).map((example) => ({ example }))),
  );
  const all = taught.flat(2);
  const references = await Promise.all(all.map(({ example }) => score(example.datum)));
  for (const [index, { example }] of all.entries()) checkTaught(example, references[index] ?? []);
  const scored = all.map(({ example: { logprobs, mask } }, index) => ({
    logprobs,
    mask,
    reference: references[index] ?? [],
  }));
  const { advantages, meanDifference } = reverseKlAdvantages(scored, options);
  const places = new Map(all.map((entry, index) => [entry, index]));
  const withAdvantages = (entry: (typeof all)[number]): PolicyDatum => {
    const own = Float32Array.from(advantages[places.get(entry) ?? -1] ?? []);
    const { datum } = entry.example;
    const { loss_fn_inputs } = datum;
    const tensor = { data: own, dtype: "float32", shape: [own.length] } as const;
    return {
      ...entry.example,
      advantages: own,
      datum: { ...datum, loss_fn_inputs: { ...loss_fn_inputs, advantages: tensor } },
    };
  };
  return {
    data: taught.map((group) => group.map((examples) => examples.map(withAdvantages))),
    metrics: all.length === 0 ? {} : { teacher_kl: meanDifference },
  };
}

/** Checks that a teacher finds every sampled token possible: one of probability 0 would make every weight NaN. @throws ValidationError */
function checkTaught({ mask }: PolicyDatum, reference: readonly number[]): void {
  const place = reference.findIndex((score, index) => Number(mask[index]) > 0 && !Number.isFinite(score));
  if (place < 0) return;
  throw new ValidationError(
    `distill: the teacher gave the token ${place + 1} of an answer the log-probability ${reference[place]}; teacher and student must have one tokenizer`,
  );
}
