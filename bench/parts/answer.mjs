/** What a role says at every step of every system: about 1 KB, the length of a short agent answer. */
export const ANSWER = "What an agent said, about as long as a short answer. ".repeat(19);
