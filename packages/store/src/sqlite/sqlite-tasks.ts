/** Worker tasks in the index of a storage root. */
import type { TaskMessage, TaskStore } from "@uncaged/workflow-protocol";
import { retryWhileBusy } from "../database/retry-while-busy.ts";
import { isAlive, messageOf, movedTask, newTask } from "../threads/task-changes.ts";
import { taskMessageOf, taskOf, taskValues } from "./task-rows.ts";
import { openThreadIndex } from "./thread-index.ts";

/** Creates the index if the root is new. Throws what `openIndex` throws. */
export async function openTasks(root: string): Promise<TaskStore> {
  const index = await openThreadIndex(root);
  const read = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.read(what, body));
  const change = <T>(what: string, body: () => T): Promise<T> =>
    retryWhileBusy(() => index.transaction(what, body));
  const say = ({ from, to, ...message }: Omit<TaskMessage, "seq">): void => {
    index.sql(SAY).run({ ...message, fromState: from, toState: to });
  };
  return {
    add: (task, { who, nowMs }) =>
      change(`add task ${task.id}`, () => {
        const added = newTask(task, nowMs);
        if (index.sql(ADD).run(taskValues(added)).changes === 0) return false;
        const { repository, id, description: text } = task;
        const states = { from: null, to: added.state };
        say({ repository, id, type: "task_assign", attempt: 1, ...states, at: nowMs, who, text });
        return true;
      }),
    get: ({ repository, id }) =>
      read(`read task ${id}`, () => {
        const row = index.sql(GET).get({ repository, id });
        return row === undefined ? null : taskOf(row);
      }),
    list: (repository) =>
      read("list the tasks", () => index.sql(LIST).all({ repository }).map(taskOf)),
    move: (move) =>
      change(`change task ${move.task.id}`, () => {
        const moved = movedTask(move);
        const values = { ...taskValues(moved), before: move.task.revision };
        if (index.sql(MOVE).run(values).changes === 0) return null;
        say(messageOf(move, moved));
        return moved;
      }),
    amend: ({ repository, id, revision, tokenSha256, thread }, set) =>
      change(`change task ${id}`, () => {
        const values = { repository, id, revision, tokenSha256, thread, ...set };
        return index.sql(AMEND).run(values).changes === 1;
      }),
    beat: ({ repository, id, attempt }, { nowMs, progress, who }) =>
      change(`note a heartbeat of task ${id}`, () => {
        const row = index.sql(GET).get({ repository, id });
        if (row === undefined) return false;
        const found = taskOf(row);
        if (!isAlive(found, attempt)) return false;
        const reached = progress ?? found.progress;
        index.sql(BEAT).run({ repository, id, nowMs, progress: reached });
        const text = reached === null ? null : String(reached);
        const states = { from: found.state, to: found.state };
        say({ repository, id, type: "heartbeat", attempt, ...states, at: nowMs, who, text });
        index.sql(FORGET_BEATS).run({ repository, id });
        return true;
      }),
    messages: ({ repository, after, limit }) =>
      read("read the messages of the tasks", () =>
        index.sql(MESSAGES).all({ repository, after, limit }).map(taskMessageOf),
      ),
    close: async () => index.close(),
  };
}

const GET = "SELECT * FROM tasks WHERE repository = :repository AND id = :id";

const LIST = `
  SELECT * FROM tasks WHERE :repository IS NULL OR repository = :repository
  ORDER BY assignedAt, repository, id`;

const ADD = `
  INSERT INTO tasks VALUES (:repository, :id, :state, :revision, :branch, :worktree, :description,
    :integration, :attempt, :tokenSha256, :who, :workers, :head, :merged, :note, :assignedAt,
    :changedAt, :heartbeatAt, :progress, :workflow, :thread)
  ON CONFLICT DO NOTHING`;

const MOVE = `
  UPDATE tasks SET state = :state, revision = :revision, branch = :branch, worktree = :worktree,
    description = :description, integration = :integration, attempt = :attempt,
    tokenSha256 = :tokenSha256, who = :who, workers = :workers, head = :head, merged = :merged,
    note = :note, workflow = :workflow, thread = :thread, assignedAt = :assignedAt, changedAt = :changedAt,
    -- A heartbeat that came after the task was read counts.
    heartbeatAt = CASE attempt WHEN :attempt THEN heartbeatAt ELSE :heartbeatAt END,
    progress = CASE attempt WHEN :attempt THEN progress ELSE :progress END
  WHERE repository = :repository AND id = :id AND revision = :before`;

const AMEND = `
  UPDATE tasks SET tokenSha256 = :tokenSha256, thread = :thread, revision = revision + 1
  WHERE repository = :repository AND id = :id AND revision = :revision`;

const BEAT = `
  UPDATE tasks SET heartbeatAt = :nowMs, progress = :progress
  WHERE repository = :repository AND id = :id`;

const FORGET_BEATS = `
  DELETE FROM taskMessages
  WHERE repository = :repository AND id = :id AND type = 'heartbeat'
    AND seq < (SELECT max(seq) FROM taskMessages)`;

const SAY = `
  INSERT INTO taskMessages (repository, id, type, attempt, fromState, toState, at, who, text)
  VALUES (:repository, :id, :type, :attempt, :fromState, :toState, :at, :who, :text)`;

const MESSAGES = `
  SELECT * FROM taskMessages
  WHERE seq > :after AND (:repository IS NULL OR repository = :repository)
  ORDER BY seq LIMIT :limit`;
