export {
  type BackendChoice,
  type BackendName,
  type PickBackendOptions,
  pickBackend,
} from "./tfjs/pick-backend.js";
export { type Tfjs, tf } from "./tfjs/tf.js";
export { toTensor } from "./tfjs/to-tensor.js";
