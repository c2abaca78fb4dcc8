/** The beginning of a response's body as text. Reads no more than was asked for, whatever the server sends. */
export async function boundedText(response: Response, maxChars: number): Promise<string> {
  if (response.body === null) return "";
  const pieces: string[] = [];
  let length = 0;
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    pieces.push(piece);
    length += piece.length;
    if (length > maxChars) break;
  }
  return pieces.join("").slice(0, maxChars);
}
