import { TensorMemory } from "@tinkex/tensor";

/** Spare memory that is kept for the passes of a session, as much as for its bodies. */
const MAX_SPARE_BYTES = 64 * 1024 * 1024;

/**
 * Pool of the memory of tensors, for passes that were submitted. The batches of a training loop are alike in size, step after step, and
 * what lies outside of the engine's heap has it collect garbage more often.
 */
export class SpareMemories {
  readonly #spare: { readonly memory: TensorMemory; readonly byteLength: number }[] = [];
  #spareBytes = 0;

  /** Takes the memory that was given back last, or new one. */
  take(): TensorMemory {
    const { memory = new TensorMemory(), byteLength = 0 } = this.#spare.pop() ?? {};
    this.#spareBytes -= byteLength;
    return memory;
  }

  /** Takes memory back whose tensors nobody reads any more. */
  giveBack(memory: TensorMemory): void {
    const byteLength = memory.clear();
    if (this.#spareBytes + byteLength > MAX_SPARE_BYTES) return;
    this.#spare.push({ memory, byteLength });
    this.#spareBytes += byteLength;
  }
}
