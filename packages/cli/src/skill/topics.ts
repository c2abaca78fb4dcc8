/** What an agent may ask about; each is `skills/<topic>.md`. */
export const TOPICS = ["cli", "develop", "author"] as const;
export type Topic = (typeof TOPICS)[number];

export const ABOUT: { readonly [T in Topic]: string } = {
  cli: "using the command line: run, watch, steer and check threads",
  develop: "playing a role inside a thread, as in the develop workflow",
  author: "writing, testing, building and registering a workflow",
};
