import type { CheckEvidence } from "@uncaged/workflow-protocol";

/** Where evidence is kept, so that the same files are not checked twice. Keys are hexadecimal. */
export type EvidenceMemo = {
  get(key: string): Promise<CheckEvidence | null>;
  put(key: string, evidence: CheckEvidence): Promise<void>;
};

export function memoryEvidence(): EvidenceMemo {
  const kept = new Map<string, CheckEvidence>();
  return {
    get: async (key) => kept.get(key) ?? null,
    put: async (key, evidence) => {
      kept.set(key, evidence);
    },
  };
}
