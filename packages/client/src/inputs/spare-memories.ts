import { TensorMemory } from "@tinkex/tensor";

/** Spare memory that is kept for the passes of a session, as much as for its bodies. */
const MAX_SPARE_BYTES = 64 * 1024 * 1024;

/**
 * Pool of the memory of tensors, for passes that were submitted. The batches of a training loop are alike in size, step after step, and
 * what lies outside of the engine's heap has it collect garbage more often.
 */
export class SpareMemories {
  readonly #spare: TensorMemory[] = [];
  #spareBytes = 0;

  /** Takes the memory that was given back last, or new one. */
  take(): TensorMemory {
    const memory = this.#spare.pop();
    if (memory === undefined) return new TensorMemory();
    this.#spareBytes -= memory.byteLength;
    return memory;
  }

  /** Takes memory back whose tensors nobody reads any more. */
  giveBack(memory: TensorMemory): void {
    memory.clear();
    if (this.#spareBytes + memory.byteLength > MAX_SPARE_BYTES) return;
    this.#spare.push(memory);
    this.#spareBytes += memory.byteLength;
  }
}
