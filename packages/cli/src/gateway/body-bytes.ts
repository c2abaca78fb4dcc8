/** The body of a request; null: it is larger than allowed. Counted as it comes, whatever its head says, and what is beyond
 *  the limit is not read: the connection's window holds it back, and the answer ends the stream. */
export async function bodyBytes(
  { body }: Pick<Request, "body">,
  maxBytes: number,
): Promise<Uint8Array | null> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Not `for await`: leaving it would cancel the stream, and with it the answer.
  const reader = body.getReader();
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const chunk: Uint8Array = next.value;
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
