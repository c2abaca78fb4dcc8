import type { PlannedStart } from "./schedule.ts";

export type TriggerSource =
  /** Each new file in a folder; absolute. */
  | { kind: "watch"; folder: string }
  /** Each delivery that is signed with the secret and passes the filter, a JSONata expression; null: all pass. */
  | { kind: "webhook"; secret: string; filter: string | null };

export type TriggerPlan = {
  source: TriggerSource;
  /** Its prompt is a template: `{{ path }}`, `{{ payload.issue.title }}`. */
  start: PlannedStart;
};

export type Trigger = {
  name: string;
  plan: TriggerPlan;
  /** Unix milliseconds, like all times here. With the name, it is in the start keys. */
  createdAt: number;
  /** null: it is not paused. */
  pausedAt: number | null;
};

/** What distinguishes a file from another one with the same name. */
export type FileMark = {
  size: number;
  modifiedAt: number;
  /** Its birth time, or its inode number where the file system does not record that. */
  origin: number;
};

export type WatchedFileState =
  /** The file existed before the trigger. */
  | { state: "known" }
  /** Decided, and certain to be done: its start key ensures that it is done once. */
  | { state: "starting" }
  | { state: "started"; threadId: string }
  /** `reason`: for people. */
  | { state: "failed"; reason: string };

/** A file in a watched folder, by its name there. */
export type WatchedFile = { file: string; mark: FileMark } & WatchedFileState;

/** Triggers, and which files they have taken.
 *
 *  1. Every change is one durable transaction, made whole or not at all.
 *  2. A file is taken once: of several who take it, one does. */
export type Triggers = {
  /** `known`: files that existed before. Throws `TARGET_EXISTS` when the name is taken. */
  add(
    trigger: Omit<Trigger, "pausedAt">,
    known: readonly Pick<WatchedFile, "file" | "mark">[],
  ): Promise<void>;
  get(name: string): Promise<Trigger | null>;
  /** By name. */
  list(): Promise<Trigger[]>;
  /** Returns false for a trigger that does not exist or is already paused. */
  pause(request: { name: string; nowMs: number }): Promise<boolean>;
  /** Returns false for a trigger that does not exist or is not paused. */
  resume(name: string): Promise<boolean>;
  /** Forgets it and its files; threads stay. */
  remove(name: string): Promise<boolean>;

  /** By name of the file. */
  files(name: string): Promise<WatchedFile[]>;
  /** Records a file as `starting`, in the place of one of its name with another mark. Returns false when it is there
   *  with this mark, or the trigger is paused, gone or another one of its name. */
  take(
    trigger: Pick<Trigger, "name" | "createdAt">,
    file: Pick<WatchedFile, "file" | "mark">,
  ): Promise<boolean>;
  /** Records what became of a file that is `starting`. Returns false when it is not. */
  note(name: string, file: string, to: WatchedFileState): Promise<boolean>;

  close(): Promise<void>;
};
