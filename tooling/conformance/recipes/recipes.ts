/** A program of tinker-cookbook as it is run: a module, its settings, and the metric that tells that it came to its end. */
export interface Recipe {
  readonly name: string;
  /** Below `tinker_cookbook.recipes`; absent for the script of this folder that evaluates. */
  readonly module?: string;
  /** Settings as on its command line. Losses, optimizer and learning rates are the recipe's own. */
  readonly settings: readonly string[];
  /** Name of a metric of the last line that it logs. */
  readonly metric: string;
  /** Most lines that are logged for one step, and least: two steps each. */
  readonly steps: number;
}

/** The renderer of base models: those of chats need tokens that not every small model has. */
const RENDERER = "renderer_name=role_colon";
const SMALL_GROUPS = ["groups_per_batch=4", "max_steps=2"];

const GSM8K = [
  "dataset_builder=tinker_cookbook.recipes.math_rl.math_env:Gsm8kDatasetBuilder",
  "dataset_builder.batch_size=4",
  "dataset_builder.group_size=4",
  "dataset_builder.renderer_name=role_colon",
  "dataset_builder.model_name_for_tokenizer=Qwen/Qwen3.5-9B-Base",
];

/** Recipes that are run: supervised, by rewards in all three ways, by preferences, by distillation, and evaluation. */
export const RECIPES: readonly Recipe[] = [
  {
    name: "sl_loop",
    module: "sl_loop",
    settings: ["batch_size=16", "max_steps=2"],
    metric: "train_mean_nll",
    steps: 2,
  },
  { name: "sl_basic", module: "sl_basic", settings: ["max_steps=2"], metric: "train_mean_nll", steps: 2 },
  {
    name: "chat_sl",
    module: "chat_sl.train",
    settings: ["batch_size=16", "max_steps=2"],
    metric: "train_mean_nll",
    steps: 2,
  },
  {
    name: "rl_loop",
    module: "rl_loop",
    settings: ["batch_size=4", "group_size=4", "max_tokens=16", "max_steps=2"],
    metric: "reward/total",
    steps: 2,
  },
  {
    name: "rl_basic",
    module: "rl_basic",
    settings: [...GSM8K, "max_tokens=16", "max_steps=2"],
    metric: "env/all/reward/total",
    steps: 2,
  },
  {
    name: "math_rl sync",
    module: "math_rl.train",
    settings: [RENDERER, ...SMALL_GROUPS],
    metric: "env/all/reward/total",
    steps: 2,
  },
  {
    name: "math_rl async",
    module: "math_rl.train",
    settings: [RENDERER, ...SMALL_GROUPS, "max_steps_off_policy=1"],
    metric: "env/all/reward/total",
    steps: 2,
  },
  {
    name: "math_rl streaming",
    module: "math_rl.train",
    settings: [
      RENDERER,
      ...SMALL_GROUPS,
      "stream_minibatch_config=StreamMinibatchConfig",
      "stream_minibatch_config.num_minibatches=2",
      "stream_minibatch_config.groups_per_batch=4",
    ],
    metric: "env/all/reward/total",
    steps: 2,
  },
  {
    name: "preference.dpo",
    module: "preference.dpo.train",
    settings: ["batch_size=8", "max_steps=2"],
    metric: "dpo_loss",
    steps: 2,
  },
  {
    name: "preference.shorter",
    module: "preference.shorter.train",
    settings: [RENDERER, "batch_size=4", "group_size=4", "max_tokens=16", "max_steps=2"],
    metric: "env/all/reward/total",
    steps: 2,
  },
  {
    name: "distillation.on_policy",
    module: "distillation.on_policy_distillation",
    settings: ["groups_per_batch=4", "group_size=4", "max_tokens=16", "max_steps=2"],
    metric: "teacher_kl",
    steps: 2,
  },
  // Its own evaluation before the first step fails for whatever server: it is given lists where it wants builders.
  {
    name: "sdft",
    module: "sdft.train",
    settings: [RENDERER, "groups_per_batch=4", "max_tokens=16", "max_steps=2", "eval_every=0"],
    metric: "sdft/mean_teacher_entropy",
    steps: 2,
  },
  { name: "evaluator and benchmark", settings: [], metric: "benchmark/gsm8k/score", steps: 1 },
];
