import type { DescriptorEdge } from "@uncaged/workflow-protocol";

/** A rule that always holds, unless `more` changes it. */
export const edge = (
  from: string,
  to: string,
  more: Partial<DescriptorEdge> = {},
): DescriptorEdge => ({
  ...{ from, to, condition: "FALLBACK", when: null, prompt: null, location: null },
  ...more,
});
