/** Options of rollouts by which a step of reinforcement learning costs the least: two answers of one token, all with one reward. */
export const ONE_TOKEN_ROLLOUTS = {
  prompt: (problem: string) => problem,
  reward: () => 1,
  groupSize: 2,
  groupsPerBatch: 1,
  maxTokens: 1,
} as const;
