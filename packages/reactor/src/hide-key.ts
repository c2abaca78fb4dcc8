/** Removes a key from a text: some servers repeat what they were sent. Shorter keys could be words of any text. */
export function hideKey(text: string, apiKey: string | null): string {
  return apiKey === null || apiKey.length < MIN_KEY_CHARS ? text : text.replaceAll(apiKey, "[key]");
}

const MIN_KEY_CHARS = 8;
