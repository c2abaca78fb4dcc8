/** What a role says at every step of every system: about 1 KB, as long as a short answer of an agent. */
export const ANSWER = "What an agent said, about as long as a short answer. ".repeat(19);
