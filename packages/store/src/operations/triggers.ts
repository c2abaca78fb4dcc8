import { type Triggers, type WatchedFile, WorkflowError } from "@uncaged/workflow-protocol";
import { nameTaken } from "../threads/name-taken.ts";
import { all, change, changing, type Operation, one, type Perform, reading } from "./operation.ts";
import { triggerOf } from "./trigger-rows.ts";
import { fileOf, fileValues } from "./watched-file-rows.ts";

export function triggersOn(perform: Perform, close: () => Promise<void>): Triggers {
  return {
    add: ({ name, plan, createdAt }, known) =>
      perform(
        changing(`add trigger ${name}`, function* () {
          const values = { name, plan: JSON.stringify(plan), createdAt };
          if ((yield* change(ADD, values)) === 0)
            throw new WorkflowError(nameTaken("trigger", name));
          for (const each of known) yield* put(name, { ...each, state: "known" });
        }),
      ),
    get: (name) =>
      perform(
        reading(`read trigger ${name}`, function* () {
          const row = yield* one("SELECT * FROM triggers WHERE name = :name", { name });
          return row === undefined ? null : triggerOf(row);
        }),
      ),
    list: () =>
      perform(
        reading("list the triggers", function* () {
          return (yield* all("SELECT * FROM triggers ORDER BY name")).map(triggerOf);
        }),
      ),
    pause: ({ name, nowMs }) =>
      perform(
        changing(`pause trigger ${name}`, function* () {
          return (yield* change(PAUSE, { name, nowMs })) === 1;
        }),
      ),
    resume: (name) =>
      perform(
        changing(`resume trigger ${name}`, function* () {
          return (yield* change(RESUME, { name })) === 1;
        }),
      ),
    remove: (name) =>
      perform(
        changing(`remove trigger ${name}`, function* () {
          yield* change("DELETE FROM watchedFiles WHERE trigger = :name", { name });
          return (yield* change("DELETE FROM triggers WHERE name = :name", { name })) === 1;
        }),
      ),
    files: (name) =>
      perform(
        reading(`read the files of trigger ${name}`, function* () {
          return (yield* all("SELECT * FROM watchedFiles WHERE trigger = :name ORDER BY file", {
            name,
          })).map(fileOf);
        }),
      ),
    take: ({ name, createdAt }, file) =>
      perform(
        changing(`take a file for trigger ${name}`, function* () {
          const existing = yield* one(STANDING, { name, createdAt });
          return existing !== undefined && (yield* put(name, { ...file, state: "starting" }));
        }),
      ),
    note: (name, file, to) =>
      perform(
        changing(`note a file of trigger ${name}`, function* () {
          const { state, threadId, reason } = fileValues({ file, mark: NO_MARK, ...to });
          const values = { name, file: JSON.stringify(file), state, threadId, reason };
          return (yield* change(NOTE, values)) === 1;
        }),
      ),
    close,
  };
}

function* put(trigger: string, file: WatchedFile): Operation<boolean> {
  return (yield* change(PUT_FILE, { trigger, ...fileValues(file) })) === 1;
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
  ON CONFLICT (trigger, file) DO UPDATE SET size = :size, modifiedAt = :modifiedAt, origin = :origin,
    state = :state, threadId = :threadId, reason = :reason
  WHERE watchedFiles.size <> :size OR watchedFiles.modifiedAt <> :modifiedAt
    OR watchedFiles.origin <> :origin`;

const NOTE = `
  UPDATE watchedFiles SET state = :state, threadId = :threadId, reason = :reason
  WHERE trigger = :name AND file = :file AND state = 'starting'`;
