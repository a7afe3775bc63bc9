import * as tf from "@tensorflow/tfjs";
import type { WordPair } from "../quickstart/parse-word-pairs.js";

/** Letters from the end that the judge looks at. */
const LETTERS = 4;
/** a to z, and one for everything else, such as the space before a short word. */
const ALPHABET = 27;

/**
 * A small `tf.LayersModel` that tells Pig Latin from English by the end of a word: `[batch, 108]` letters to `[batch, 1]`, the
 * probability of Pig Latin.
 */
export async function trainWordJudge(pairs: readonly WordPair[]): Promise<tf.LayersModel> {
  const judge = tf.sequential({
    layers: [
      tf.layers.dense({
        inputShape: [LETTERS * ALPHABET],
        units: 1,
        activation: "sigmoid",
        kernelInitializer: tf.initializers.glorotUniform({ seed: 1 }),
      }),
    ],
  });
  const optimizer = tf.train.adam(0.02);
  judge.compile({ optimizer, loss: "binaryCrossentropy" });
  const english = pairs.map(({ prompt }) => prompt.replace("Pig Latin: ", "").replace(" ->", ""));
  const pigLatin = pairs.map(({ completion }) => completion);
  const [letters, labels] = tf.tidy(() => [
    lettersOf([...english, ...pigLatin]),
    tf.concat([tf.zeros([english.length, 1]), tf.ones([pigLatin.length, 1])]),
  ]);
  await judge.fit(letters, labels, { epochs: 5, batchSize: 50, shuffle: false, verbose: 0 });
  tf.dispose([letters, labels]);
  optimizer.dispose();
  return judge;
}

/** Scores that the judge gives each answer, `[answers]`. */
export function judgeAnswers(judge: tf.LayersModel, answers: readonly string[]): tf.Tensor1D {
  return tf.tidy(() => {
    const judged = judge.predict(lettersOf(answers));
    if (Array.isArray(judged)) throw new Error("the judge must have one output");
    return judged.as1D();
  });
}

/** The last letters of each text as ones and zeros, `[texts, 108]`: what the judge reads. */
function lettersOf(texts: readonly string[]): tf.Tensor2D {
  const indices = texts.map((text) =>
    // Cut by characters: what a model writes may end in some that are two of a string.
    [..." ".repeat(LETTERS), ...text.trim().toLowerCase()]
      .slice(-LETTERS)
      .map((letter) => (/[a-z]/.test(letter) ? letter.charCodeAt(0) - 97 : ALPHABET - 1)),
  );
  return tf.tidy(() =>
    tf.oneHot(tf.tensor2d(indices, undefined, "int32"), ALPHABET).reshape([texts.length, -1]),
  );
}
