/** Triggers in the index of a storage root. */
import { type Triggers, type WatchedFile, WorkflowError } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { nameTaken } from "../threads/name-taken.ts";
import { openThreadIndex } from "./thread-index.ts";
import { fileOf, fileValues } from "./watched-file-rows.ts";

/** Creates the index if the root is new. Throws what `openIndex` throws. */
export async function openTriggers(root: string): Promise<Triggers> {
  // Loaded on demand: commands that read no trigger do not pay for the schemas.
  const { triggerOf } = await import("./trigger-rows.ts");
  const index = await openThreadIndex(root);
  const put = (trigger: string, file: WatchedFile): boolean =>
    index.sql(PUT_FILE).run({ trigger, ...fileValues(file) }).changes === 1;
  const read = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.read(what, body));
  const change = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.transaction(what, body));
  return {
    add: ({ name, plan, createdAt }, known) =>
      change(`add trigger ${name}`, () => {
        const values = { name, plan: JSON.stringify(plan), createdAt };
        if (index.sql(ADD).run(values).changes === 0)
          throw new WorkflowError(nameTaken("trigger", name));
        for (const each of known) put(name, { ...each, state: "known" });
      }),
    get: (name) =>
      read(`read trigger ${name}`, () => {
        const row = index.sql("SELECT * FROM triggers WHERE name = :name").get({ name });
        return row === undefined ? null : triggerOf(row);
      }),
    list: () =>
      read("list the triggers", () =>
        index.sql("SELECT * FROM triggers ORDER BY name").all().map(triggerOf),
      ),
    pause: ({ name, nowMs }) =>
      change(`pause trigger ${name}`, () => index.sql(PAUSE).run({ name, nowMs }).changes === 1),
    resume: (name) =>
      change(`resume trigger ${name}`, () => index.sql(RESUME).run({ name }).changes === 1),
    remove: (name) =>
      change(`remove trigger ${name}`, () => {
        index.sql("DELETE FROM watchedFiles WHERE trigger = :name").run({ name });
        return index.sql("DELETE FROM triggers WHERE name = :name").run({ name }).changes === 1;
      }),
    files: (name) =>
      read(`read the files of trigger ${name}`, () =>
        index
          .sql("SELECT * FROM watchedFiles WHERE trigger = :name ORDER BY file")
          .all({ name })
          .map(fileOf),
      ),
    take: ({ name, createdAt }, file) =>
      change(`take a file for trigger ${name}`, () => {
        const existing = index.sql(STANDING).get({ name, createdAt });
        return existing !== undefined && put(name, { ...file, state: "starting" });
      }),
    note: (name, file, to) =>
      change(`note a file of trigger ${name}`, () => {
        const { state, threadId, reason } = fileValues({ file, mark: NO_MARK, ...to });
        const values = { name, file: JSON.stringify(file), state, threadId, reason };
        return index.sql(NOTE).run(values).changes === 1;
      }),
    close: async () => index.close(),
  };
}

/** Values for parameters that `note` does not change. */
const NO_MARK = { size: 0, modifiedAt: 0, origin: 0 };

const ADD = `
  INSERT INTO triggers (name, plan, createdAt) VALUES (:name, :plan, :createdAt)
  ON CONFLICT DO NOTHING`;

const PAUSE = "UPDATE triggers SET pausedAt = :nowMs WHERE name = :name AND pausedAt IS NULL";

const RESUME = "UPDATE triggers SET pausedAt = NULL WHERE name = :name AND pausedAt IS NOT NULL";

const STANDING = `
  SELECT 1 FROM triggers WHERE name = :name AND createdAt = :createdAt AND pausedAt IS NULL`;

const PUT_FILE = `
  INSERT INTO watchedFiles
  VALUES (:trigger, :file, :size, :modifiedAt, :origin, :state, :threadId, :reason)
  ON CONFLICT DO UPDATE SET size = :size, modifiedAt = :modifiedAt, origin = :origin,
    state = :state, threadId = :threadId, reason = :reason
  WHERE size != :size OR modifiedAt != :modifiedAt OR origin != :origin`;

const NOTE = `
  UPDATE watchedFiles SET state = :state, threadId = :threadId, reason = :reason
  WHERE trigger = :name AND file = :file AND state = 'starting'`;
