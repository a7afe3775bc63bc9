import * as tf from "@tensorflow/tfjs";
import { expect, it } from "vitest";
import { BUNDLED_DATA } from "../quickstart/options.js";
import { loadWordPairs } from "../quickstart/word-pairs.js";
import { judgeAnswers, trainWordJudge } from "./word-judge.js";

it("tells held-out Pig Latin from English, and leaves no tensor behind", async () => {
  const before = tf.memory().numTensors;
  const { train, heldOut } = await loadWordPairs(BUNDLED_DATA);
  const judge = await trainWordJudge(train);
  const pigLatin = judgeAnswers(
    judge,
    heldOut.map(({ completion }) => completion),
  );
  const english = judgeAnswers(judge, ["planet", "a", "", "the quiet yellow house."]);
  expect(Math.min(...pigLatin.dataSync())).toBeGreaterThan(0.5);
  expect(Math.max(...english.dataSync())).toBeLessThan(0.5);
  // A character that is two of a string does not move the letters of the next answer.
  const afterFace = judgeAnswers(judge, ["ab😀", "planet"]);
  expect(afterFace.dataSync()[1]).toBeCloseTo(english.dataSync()[0] ?? Number.NaN, 6);
  tf.dispose([pigLatin, english, afterFace]);
  judge.dispose();
  expect(tf.memory().numTensors).toBe(before);
});
