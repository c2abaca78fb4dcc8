import { call, type TaskRow } from "@uncaged/workflow-gateway/contract";
import { TASK_STATES, type TaskState } from "@uncaged/workflow-protocol";
import { useReply } from "../api/queries.ts";
import { visible } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { Tag } from "../ui/status.tsx";
import { Ago } from "../ui/time.tsx";

const WORDS: { readonly [state in TaskState]: string } = {
  ASSIGNED: "Assigned",
  WORKING: "Working",
  CONFLICTED: "Conflicted",
  IN_REVIEW: "In review",
  APPROVED: "Approved",
  COMPLETED: "Completed",
  FAILED: "Failed",
};
const MOST = 50;

/** Worker tasks as a board: one column a state. */
export function TasksPage({ client }: { client: string }) {
  const query = useReply(
    ["tasks", client],
    (to, signal) => call(to, "listTasks", { client, signal }),
    { everyMs: 5_000 },
  );
  return (
    <ScrollView
      title="Tasks"
      side={<CopyButton look="bare" label="Copy command" text={() => "uwf task board"} />}
    >
      <Loaded query={query}>
        {({ tasks }) =>
          tasks.length === 0 ? (
            <Empty title="There are no worker tasks">
              A task gives an agent a branch and a worktree of its own:{" "}
              <code className="font-mono">uwf task spawn &lt;task&gt;</code>
            </Empty>
          ) : (
            <section
              aria-label="Board"
              tabIndex={0}
              className="flex gap-3 overflow-x-auto pb-2 max-md:flex-col"
            >
              {TASK_STATES.map((state) => (
                <Column key={state} state={state} tasks={tasks.filter((t) => t.state === state)} />
              ))}
            </section>
          )
        }
      </Loaded>
    </ScrollView>
  );
}

function Column({ state, tasks }: { state: TaskState; tasks: readonly TaskRow[] }) {
  return (
    <section
      aria-label={WORDS[state]}
      className={`w-60 shrink-0 max-md:w-full ${tasks.length === 0 ? "max-md:hidden" : ""}`}
    >
      <h2 className="mb-1">
        {WORDS[state]} <span className="text-dim tabular">{tasks.length}</span>
      </h2>
      <ul className="space-y-2">
        {tasks.slice(0, MOST).map((task) => (
          <li key={`${task.repository} ${task.id}`} data-row>
            <Card task={task} />
          </li>
        ))}
      </ul>
      {tasks.length > MOST && <p className="hint mt-1">{tasks.length - MOST} more</p>}
    </section>
  );
}

function Card({ task }: { task: TaskRow }) {
  return (
    <article className="rounded-md border border-line bg-surface p-2">
      <h3 className="flex flex-wrap items-center gap-1 text-ink!">
        <span className="foreign flex-1">{visible(task.id)}</span>
        {task.stale && <Tag tone="warn">! stale</Tag>}
        {task.attempt > 1 && <Tag>attempt {task.attempt}</Tag>}
      </h3>
      {task.description !== "" && (
        <p className="foreign mt-1 line-clamp-3">{visible(task.description.slice(0, 600))}</p>
      )}
      {task.progress !== null && (
        <progress
          aria-label={`Progress of ${task.id}`}
          value={task.progress}
          max={1}
          className="mt-1 h-1 w-full accent-accent"
        />
      )}
      <p className="hint foreign mt-1">
        {visible(task.branch)} → {visible(task.integration)}
      </p>
      <p className="hint">
        {task.who === null ? "nobody has started" : visible(task.who)}
        {task.heartbeatAt !== null && (
          <>
            , heard <Ago at={task.heartbeatAt} />
          </>
        )}
      </p>
      {task.note !== null && (
        <p className="foreign mt-1 text-warn text-xs">{visible(task.note.slice(0, 500))}</p>
      )}
      <div className="mt-1 flex gap-1">
        <CopyButton look="bare" label="Copy path" text={() => task.worktree} />
        <CopyButton
          look="bare"
          label="Copy command"
          text={() => `uwf task status --task ${task.id}`}
        />
      </div>
    </article>
  );
}
