/** The text of a content node, which is three lines of YAML with values as JSON; other blobs as they are. */
export function contentIn(blob: string): string {
  const payload = /^type: "?content"?\npayload: (.*)\n/.exec(blob)?.[1];
  if (payload === undefined) return blob;
  try {
    const text: unknown = JSON.parse(payload);
    return typeof text === "string" ? text : blob;
  } catch {
    return blob;
  }
}
