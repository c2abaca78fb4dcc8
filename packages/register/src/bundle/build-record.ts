import { HASH_PATTERN, parseJson } from "@uncaged/workflow-protocol";

/** What is known about a bundle besides its bytes. No times and no paths: the same sources have the same record. */
export type BuildRecord = {
  hash: string;
  sha256: string;
  /** The bundler's version; null for a bundle that came without a record. */
  rolldown: string | null;
  /** External packages that the bundle imports, sorted. */
  externals: readonly string[];
  /** SHA-256 (hex) of the descriptor file. */
  descriptorSha256: string;
};

export function buildRecordText(record: BuildRecord): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}

/** null when the text is not a build record. */
export function parseBuildRecord(text: string): BuildRecord | null {
  const value = parsedObject(text);
  if (value === null) return null;
  const { hash, sha256, rolldown, externals, descriptorSha256 } = value;
  if (typeof hash !== "string" || !HASH_PATTERN.test(hash)) return null;
  if (typeof sha256 !== "string" || typeof descriptorSha256 !== "string") return null;
  if (rolldown !== null && typeof rolldown !== "string") return null;
  if (!isTextList(externals)) return null;
  return { hash, sha256, rolldown, externals, descriptorSha256 };
}

function parsedObject(text: string): { [key: string]: unknown } | null {
  const value = parseJson(text);
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : null;
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
