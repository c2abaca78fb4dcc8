import type { TaskMessage, TaskStore } from "@uncaged/workflow-protocol";
import { isAlive, messageOf, movedTask, newTask } from "../threads/task-changes.ts";
import { all, change, changing, type Operation, one, type Perform, reading } from "./operation.ts";
import { taskMessageOf, taskOf, taskValues } from "./task-rows.ts";

export function tasksOn(perform: Perform, close: () => Promise<void>): TaskStore {
  return {
    add: (task, { who, nowMs }) =>
      perform(
        changing(`add task ${task.id}`, function* () {
          const added = newTask(task, nowMs);
          if ((yield* change(ADD, taskValues(added))) === 0) return false;
          const { repository, id, description: text } = task;
          const states = { from: null, to: added.state };
          yield* say({
            repository,
            id,
            type: "task_assign",
            attempt: 1,
            ...states,
            at: nowMs,
            who,
            text,
          });
          return true;
        }),
      ),
    get: ({ repository, id }) =>
      perform(
        reading(`read task ${id}`, function* () {
          const row = yield* one(GET, { repository, id });
          return row === undefined ? null : taskOf(row);
        }),
      ),
    list: (repository) =>
      perform(
        reading("list the tasks", function* () {
          return (yield* all(LIST, { repository })).map(taskOf);
        }),
      ),
    move: (move) =>
      perform(
        changing(`change task ${move.task.id}`, function* () {
          const moved = movedTask(move);
          const values = { ...taskValues(moved), before: move.task.revision };
          if ((yield* change(MOVE, values)) === 0) return null;
          yield* say(messageOf(move, moved));
          return moved;
        }),
      ),
    amend: ({ repository, id, revision, tokenSha256, thread }, set) =>
      perform(
        changing(`change task ${id}`, function* () {
          const values = { repository, id, revision, tokenSha256, thread, ...set };
          return (yield* change(AMEND, values)) === 1;
        }),
      ),
    beat: ({ repository, id, attempt }, { nowMs, progress, who }) =>
      perform(
        changing(`note a heartbeat of task ${id}`, function* () {
          const row = yield* one(GET, { repository, id });
          if (row === undefined) return false;
          const found = taskOf(row);
          if (!isAlive(found, attempt)) return false;
          const reached = progress ?? found.progress;
          yield* change(BEAT, { repository, id, nowMs, progress: reached });
          const text = reached === null ? null : String(reached);
          const states = { from: found.state, to: found.state };
          yield* say({
            repository,
            id,
            type: "heartbeat",
            attempt,
            ...states,
            at: nowMs,
            who,
            text,
          });
          yield* change(FORGET_BEATS, { repository, id });
          return true;
        }),
      ),
    messages: ({ repository, after, limit }) =>
      perform(
        reading("read the messages of the tasks", function* () {
          return (yield* all(MESSAGES, { repository, after, limit })).map(taskMessageOf);
        }),
      ),
    close,
  };
}

function* say({ from, to, ...message }: Omit<TaskMessage, "seq">): Operation<void> {
  yield* change(SAY, { ...message, fromState: from, toState: to });
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
