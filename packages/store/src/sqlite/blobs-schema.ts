/** Schema 2: blobs beside the threads, so that a step and its head are one transaction.
 *
 *  Rows are appended in order of arrival, and only the narrow index has the random order of hashes; with the hash as
 *  the key, every row would go to another page. Quarantined rows are listed in a separate table, so a garbage
 *  collection writes numbers, not blobs. */
export const BLOBS_SCHEMA = `
CREATE TABLE blobs (
  id    INTEGER PRIMARY KEY NOT NULL,
  -- The XXH64 as a signed number.
  name  INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;

CREATE UNIQUE INDEX blobsByName ON blobs (name);

CREATE TABLE asideBlobs (
  id      INTEGER PRIMARY KEY NOT NULL,
  -- Unix milliseconds.
  sinceMs INTEGER NOT NULL
) STRICT;
`;
