import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { type CheckEvidence, parseJson } from "@uncaged/workflow-protocol";
import { makeFolderSync, writeFileAtomic } from "@uncaged/workflow-util";
import { keyOfEvidence } from "./check-frame.ts";

/** Where evidence is kept, so that the same files are not checked twice. Keys are hexadecimal. */
export type EvidenceMemo = {
  get(key: string): Promise<CheckEvidence | null>;
  put(key: string, evidence: CheckEvidence): Promise<void>;
};

/** For one process. `beyond`: asked for what is not known here, and told what did not fail: a check may have failed
 *  because of the machine, and then somebody has to be able to start again. */
export function memoryEvidence(beyond: EvidenceMemo | null = null): EvidenceMemo {
  const kept = new Map<string, CheckEvidence>();
  return {
    get: async (key) => kept.get(key) ?? (await beyond?.get(key)) ?? null,
    put: async (key, evidence) => {
      kept.set(key, evidence);
      if (evidence.verdict !== "failed") await beyond?.put(key, evidence);
    },
  };
}

/** For all processes of a storage root: a file each, the one last used last. A file that cannot be read, or is not of its
 *  key, is as good as none. */
export function folderEvidence(folder: string): EvidenceMemo {
  const fileOf = (key: string): string => join(folder, `${key}.json`);
  return {
    async get(key) {
      const text = await readFile(fileOf(key), "utf8").catch(() => null);
      if (text === null) return null;
      const { checkEvidenceSchema } = await import("@uncaged/workflow-protocol/schemas");
      const { data } = checkEvidenceSchema.safeParse(parseJson(text));
      if (data === undefined || keyOfEvidence(data) !== key) return null;
      const now = new Date();
      await utimes(fileOf(key), now, now).catch(() => undefined);
      return data;
    },
    async put(key, evidence) {
      makeFolderSync(folder);
      const data = JSON.stringify(evidence);
      await writeFileAtomic({ path: fileOf(key), data, mode: 0o600, existing: "replace" });
    },
  };
}
