// A model directory of a public model's size, with random weights: what memory and time depend on, without a download.
import { once } from "node:events";
import { createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Shape {
  readonly model_type: string;
  readonly vocab_size: number;
  readonly hidden_size: number;
  readonly intermediate_size: number;
  readonly num_hidden_layers: number;
  readonly num_attention_heads: number;
  readonly num_key_value_heads: number;
  readonly head_dim: number;
}

/** Sizes as the models' `config.json` on the hub gives them. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  "qwen3-0.6b": {
    model_type: "qwen3",
    vocab_size: 151_936,
    hidden_size: 1024,
    intermediate_size: 3072,
    num_hidden_layers: 28,
    num_attention_heads: 16,
    num_key_value_heads: 8,
    head_dim: 128,
  },
};

const BYTES = 2;

/** Writes `config.json` and `model.safetensors` in bfloat16, with input and output embeddings tied, as Qwen3's small models have them. */
export async function writeRandomModel(directory: string, shape: Shape): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const config = {
    architectures: ["Qwen3ForCausalLM"],
    ...shape,
    ...{ hidden_act: "silu", max_position_embeddings: 40_960, rms_norm_eps: 1e-6, rope_theta: 1_000_000 },
    ...{ tie_word_embeddings: true, attention_bias: false, torch_dtype: "bfloat16" },
  };
  writeFileSync(join(directory, "config.json"), JSON.stringify(config));
  const tensors = [...tensorsOf(shape)];
  let offset = 0;
  const header: Record<string, object> = {};
  for (const [name, dims] of tensors) {
    const end = offset + sizeOf(dims) * BYTES;
    header[name] = { dtype: "BF16", shape: dims, data_offsets: [offset, end] };
    offset = end;
  }
  const text = JSON.stringify(header);
  const json = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8, " "));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  const file = createWriteStream(join(directory, "model.safetensors"));
  file.write(length);
  file.write(json);
  const noise = noiseBlock();
  for (const [name, dims] of tensors) {
    // Norms multiply: random ones would take what the layers say to nothing.
    const block = name.endsWith("norm.weight") ? ones() : noise;
    for (let left = sizeOf(dims) * BYTES; left > 0; left -= block.length) {
      if (!file.write(block.subarray(0, Math.min(left, block.length)))) await once(file, "drain");
    }
  }
  file.end();
  await once(file, "close");
}

function* tensorsOf(shape: Shape): Iterable<readonly [name: string, dims: readonly number[]]> {
  const { hidden_size: hidden, intermediate_size: inner, head_dim: head } = shape;
  const queries = shape.num_attention_heads * head;
  const keys = shape.num_key_value_heads * head;
  yield ["model.embed_tokens.weight", [shape.vocab_size, hidden]];
  for (let layer = 0; layer < shape.num_hidden_layers; layer += 1) {
    const name = (part: string) => `model.layers.${layer}.${part}.weight`;
    yield [name("input_layernorm"), [hidden]];
    yield [name("self_attn.q_proj"), [queries, hidden]];
    yield [name("self_attn.k_proj"), [keys, hidden]];
    yield [name("self_attn.v_proj"), [keys, hidden]];
    yield [name("self_attn.o_proj"), [hidden, queries]];
    yield [name("self_attn.q_norm"), [head]];
    yield [name("self_attn.k_norm"), [head]];
    yield [name("post_attention_layernorm"), [hidden]];
    yield [name("mlp.gate_proj"), [inner, hidden]];
    yield [name("mlp.up_proj"), [inner, hidden]];
    yield [name("mlp.down_proj"), [hidden, inner]];
  }
  yield ["model.norm.weight", [hidden]];
}

function sizeOf(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** Numbers from -0.03 to 0.03, of a length that no row's is a multiple of, so that rows differ. */
function noiseBlock(): Buffer {
  let state = 1;
  return bfloat16(1_000_003, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 0.06;
  });
}

function ones(): Buffer {
  return bfloat16(4096, () => 1);
}

/** The upper halves of float32 numbers. */
function bfloat16(count: number, next: () => number): Buffer {
  const floats = Float32Array.from({ length: count }, next);
  const halves = new Uint16Array(floats.buffer);
  return Buffer.from(Uint16Array.from({ length: count }, (_, i) => halves[2 * i + 1] ?? 0).buffer);
}
