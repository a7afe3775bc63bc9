import { checkString } from "@tinkex/base";
import { MODEL_TABLE, type ModelSizes } from "./model-table.data.js";

/** Looks a model up. A variant such as `zai-org/GLM-5.3:peft:262144` has the sizes of its base. @throws ValidationError when the name is no string */
export function findModel(model: string, method: string): ModelSizes | undefined {
  checkString(model, `${method}: model`, "Qwen/Qwen3-8B");
  const [name = model] = model.split(":", 1);
  return Object.hasOwn(MODEL_TABLE, name) ? MODEL_TABLE[name] : undefined;
}
