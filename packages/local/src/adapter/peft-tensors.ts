import type { FloatTensor } from "../safetensors/safetensors-reader.js";
import type { AdapterPair } from "./adapter-parameters.js";
import type { AdapterTensors } from "./adapter-tensors.js";

/** Names PEFT gives to the two factors of a module, and their shapes. */
export function peftTensors(
  pair: Pick<AdapterPair, "module" | "dIn" | "dOut">,
  rank: number,
): {
  readonly a: { readonly name: string; readonly shape: readonly number[] };
  readonly b: { readonly name: string; readonly shape: readonly number[] };
} {
  const name = `base_model.model.${pair.module}`;
  return {
    a: { name: `${name}.lora_A.weight`, shape: [rank, pair.dIn] },
    b: { name: `${name}.lora_B.weight`, shape: [pair.dOut, rank] },
  };
}

/** Arrays in the order of an adapter's pairs, with names and shapes for a file. @param prefix put before each name */
export function nameTensors(
  pairs: readonly AdapterPair[],
  rank: number,
  tensors: AdapterTensors,
  prefix = "",
): (FloatTensor & { readonly name: string })[] {
  return pairs.flatMap((pair, i) => {
    const { a, b } = peftTensors(pair, rank);
    const factors = tensors[i];
    if (factors === undefined) throw new Error(`tensors must hold those of module ${pair.module}, got none`);
    return [
      { name: prefix + a.name, shape: a.shape, data: factors.a },
      { name: prefix + b.name, shape: b.shape, data: factors.b },
    ];
  });
}
