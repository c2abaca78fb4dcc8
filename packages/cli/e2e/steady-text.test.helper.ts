/** The stable part of a text for people: without ids, hashes, versions, times, folders, and the spaces that align
 *  them; without the number of blobs, since two steps may happen to produce the same blob; and without the sandbox, which
 *  not every machine allows. */
export function steadyText(text: string): string {
  return text
    .replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, "<thread>")
    .replace(/\b[0-9A-F][0-9A-HJKMNP-TV-Z]{12}\b/g, "<hash>")
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ|\b1[0-9]{12}\b/g, "<time>")
    .replace(/\b(?:just now|\d+(?:\.\d+)? (?:ms|s|min)(?: ago)?)\b/g, "<while>")
    .replace(/\b\d+\.\d+\.\d+\b/g, "<version>")
    .replace(/\d+ blobs/g, "<count> blobs")
    .replace(/\/\S*\/my-flows\b/g, "<folder>")
    .replace(/ +in a sandbox \((?:bubblewrap|unshare)\)/g, "")
    .replace(/ +/g, " ");
}
