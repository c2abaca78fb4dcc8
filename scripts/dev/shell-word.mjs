/** Quotes any text as one word of a shell. */
export const shellWord = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
