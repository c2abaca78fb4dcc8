import { sumUsage, type Usage } from "@uncaged/workflow-protocol";

/** Adds up the usage of models. */
export type CostMeter = {
  add(usage: Usage | null): void;
  /** What was added since the last call; null: nothing. */
  take(): Usage | null;
};

export function costMeter(): CostMeter {
  let sum: Usage | null = null;
  return {
    add: (usage) => {
      sum = sumUsage(sum, usage);
    },
    take: () => {
      const taken = sum;
      sum = null;
      return taken;
    },
  };
}
