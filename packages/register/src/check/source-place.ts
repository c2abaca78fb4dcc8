/** Maps a position in a bundle to its source, using the source map. */
import { SourceMap } from "node:module";
import { resolve } from "node:path";

export type BuiltSources = {
  /** JSON. */
  sourceMap: string;
  /** The map's source paths are relative to this folder. */
  folder: string;
};

/** `12:34` in the bundle to `/flows/src/flow.ts:5:3`; null when the map does not know. */
export function sourcePlace(at: string, { sourceMap, folder }: BuiltSources): string | null {
  const [line = 1, column = 1] = at.split(":").map(Number);
  const entry = new SourceMap(JSON.parse(sourceMap)).findEntry(line - 1, column - 1);
  if (!("originalSource" in entry) || typeof entry.originalSource !== "string") return null;
  const file = resolve(folder, entry.originalSource);
  return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}
