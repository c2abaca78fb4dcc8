/** Schema 15: which providers have asked to be left alone. */
export const HOLDS_SCHEMA = `
CREATE TABLE holds (
  -- provider:<name>, or agent:<name> where the provider is not known.
  key     TEXT PRIMARY KEY NOT NULL,
  -- Names in config.agents, as a JSON array.
  agents  TEXT NOT NULL,
  untilMs INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;
