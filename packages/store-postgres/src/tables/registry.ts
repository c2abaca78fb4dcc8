/** Which bundle each workflow name refers to, and the bundles. */
export const REGISTRY_TABLES: string = `
CREATE TABLE workflow_versions (
  name     text NOT NULL,
  -- 0: the version that runs; then those that ran before it, newest first.
  place    integer NOT NULL,
  hash     text NOT NULL,
  sha256   text NOT NULL,
  -- Unix milliseconds.
  added_at bigint NOT NULL,
  PRIMARY KEY (name, place)
);
-- Named by what cannot be forged. Files of one bundle, and what they are called there.
CREATE TABLE bundle_files (
  sha256 text NOT NULL,
  name   text NOT NULL,
  bytes  bytea NOT NULL,
  PRIMARY KEY (sha256, name)
);
`;
