/** Whether the root is being moved to here, or was moved elsewhere. */
export const MOVES_TABLE: string = `
CREATE TABLE moves (
  -- One row, or none.
  id    integer PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  -- 'arriving': from that place, and not all of it is here. 'left': it is in that place.
  state text NOT NULL,
  place text NOT NULL,
  at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
`;

/** Afterwards nobody changes the root, not even who has it open. A schema whose row in \`moves\` is deleted is in use again. */
export const LEAVE: string = `
CREATE OR REPLACE FUNCTION moved_away() RETURNS trigger LANGUAGE plpgsql AS $moved$
BEGIN
  IF EXISTS (SELECT 1 FROM moves WHERE state = 'left') THEN
    RAISE SQLSTATE 'UWF02' USING MESSAGE = 'this root was moved to ' || (SELECT place FROM moves);
  END IF;
  RETURN NULL;
END $moved$;
DO $leave$
DECLARE t text;
BEGIN
  FOR t IN SELECT tablename FROM pg_tables
    WHERE schemaname = current_schema() AND tablename NOT IN ('moves', 'migrations', 'marks')
  LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER moved_away BEFORE INSERT OR UPDATE OR DELETE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION moved_away()', t);
  END LOOP;
END $leave$;
`;
