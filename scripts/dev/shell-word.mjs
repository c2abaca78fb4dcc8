/** One word of a shell, whatever is in it. */
export const shellWord = (text) => `'${text.replaceAll("'", `'\\''`)}'`;
