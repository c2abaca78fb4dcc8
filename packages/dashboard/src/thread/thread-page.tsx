import type { ThreadHead, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { isFinal } from "@uncaged/workflow-protocol";
import { Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useLocation, useSearch } from "wouter";
import { focusAnswer } from "../inbox/focus-answer.ts";
import { threadAt } from "../shell/addresses.ts";
import { neighbour } from "../threads/last-list.ts";
import { Button } from "../ui/button.tsx";
import { copyText } from "../ui/copy.tsx";
import { Failure } from "../ui/failure.tsx";
import { useKeys } from "../ui/keys.ts";
import { lazily } from "../ui/lazily.ts";
import { Loading } from "../ui/notice.tsx";
import { LiveView } from "./live-view.tsx";
import { Overview } from "./overview.tsx";
import { StepList } from "./step-list.tsx";
import { STEP_TABS, type StepTab, StepView } from "./step-view.tsx";
import { failureFrom } from "./steps.ts";
import { ThreadHeader } from "./thread-header.tsx";
import { useThread } from "./use-thread.ts";

const ThreadGraph = lazily(() => import("./thread-graph.tsx"), "ThreadGraph");
const TimeLine = lazily(() => import("./time-line.tsx"), "TimeLine");

type View = "graph" | "time";
/** On a narrow screen one of them is shown. */
type Pane = "steps" | "step" | "graph";

export function ThreadPage({ client, id }: { client: string; id: string }) {
  const { head, index, live } = useThread(client, id);
  if (head.data === undefined || index.data === undefined) {
    const error = head.error ?? index.error;
    if (error === null) return <Loading />;
    const again = () => {
      void head.refetch();
      void index.refetch();
    };
    return (
      <div className="p-4">
        <Failure error={error} again={again} />
      </div>
    );
  }
  return (
    <Shown
      client={client}
      head={head.data}
      index={index.data}
      live={live}
      error={head.error ?? index.error}
    />
  );
}

function Shown({
  client,
  head,
  index,
  live,
  error,
}: {
  client: string;
  head: ThreadHead;
  index: ThreadIndex;
  live: ReturnType<typeof useThread>["live"];
  error: unknown;
}) {
  const id = head.threadId;
  const search = useSearch();
  const [path, go] = useLocation();
  const given = useMemo(() => new URLSearchParams(search), [search]);
  const { stepCount } = index;
  const running = !isFinal(head.status) && (live.length > 0 || head.status === "running");
  const linked = given.has("step");
  const [follow, setFollow] = useState(!linked && running);
  const [pane, setPane] = useState<Pane>(linked ? "step" : "steps");
  const view: View = given.get("view") === "time" ? "time" : "graph";
  const tab = STEP_TABS.find(({ name }) => name === given.get("tab"))?.name ?? "said";
  // 0: the start; behind the last step: what is under way.
  const last = running ? stepCount + 1 : stepCount;
  const wanted = linked ? Number(given.get("step")) : 0;
  const step = follow ? last : Number.isInteger(wanted) ? Math.max(0, Math.min(last, wanted)) : 0;

  const show = useCallback(
    (changes: { [key: string]: string | null }) => {
      const next = new URLSearchParams(search);
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) next.delete(key);
        else next.set(key, value);
      }
      const words = next.toString();
      go(words === "" ? path : `${path}?${words}`, { replace: true });
    },
    [search, path, go],
  );
  const choose = useCallback(
    (to: number) => {
      setFollow(false);
      show({ step: String(Math.max(0, Math.min(last, to))) });
    },
    [show, last],
  );
  const toggleFollow = () => {
    if (follow) show({ step: String(step) });
    setFollow(!follow);
  };
  const fail = (by: 1 | -1) => {
    const to = failureFrom(index, Math.min(step, stepCount + 1), by);
    if (to !== null) choose(to);
  };
  const beside = (by: 1 | -1) => {
    const other = neighbour(client, id, by);
    if (other !== null) go(threadAt(client, other));
  };
  const answerBox = useRef<HTMLDivElement>(null);
  const [later, setLater] = useState<ReadonlySet<string>>(new Set());
  const answer = () => {
    // The box of one that was put off has to be there before it can have the focus.
    if (later.size > 0) flushSync(() => setLater(new Set()));
    return focusAnswer(answerBox.current);
  };
  const link = () => location.origin + threadAt(client, id, step);
  // The conversation as far as the step.
  const command = () =>
    step >= 1 && step <= stepCount
      ? `uwf thread context ${id} --before ${step + 1}`
      : `uwf thread show ${id}`;
  const [said, setSaid] = useState("");
  const copy = (text: string, what: string) =>
    void copyText(text).then((ok) =>
      setSaid(ok ? `Copied ${what}` : "The browser does not allow it"),
    );
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2_000);
    return () => clearTimeout(timer);
  }, [said]);
  const page = 20;
  const graphPart = useRef<HTMLElement>(null);
  useKeys({
    j: () => choose(step + 1),
    k: () => choose(step - 1),
    home: () => choose(0),
    end: () => choose(last),
    pagedown: () => choose(step + page),
    pageup: () => choose(step - page),
    n: () => fail(1),
    p: () => fail(-1),
    f: toggleFollow,
    g: () => {
      // On a narrow screen it may be another part that is shown.
      const isShown = graphPart.current?.checkVisibility() === true;
      setPane("graph");
      if (isShown) show({ view: view === "graph" ? "time" : null });
    },
    // Only a narrow screen does not show the step as soon as it is gone to.
    enter: () => pane !== "step" && setPane("step"),
    "[": () => beside(-1),
    "]": () => beside(1),
    r: answer,
    c: () => copy(link(), "the link"),
    y: () => copy(command(), "the command"),
  });

  const isLive = running && step === stepCount + 1;
  return (
    <>
      <ThreadHeader
        client={client}
        head={head}
        index={index}
        step={isLive ? stepCount : step}
        answerBox={answerBox}
        later={later}
        onLater={setLater}
      />
      {error !== null && error !== undefined && (
        <div className="px-3 py-1">
          <Failure error={error} />
        </div>
      )}
      <span role="status" className="sr-only">
        {said}
      </span>
      {said !== "" && (
        <span
          aria-hidden="true"
          className="fixed right-4 bottom-4 z-20 rounded-sm border border-line bg-surface px-3 py-1.5 shadow-md"
        >
          {said}
        </span>
      )}
      <PaneSwitch pane={pane} onChange={setPane} />
      <div className="flex min-h-0 flex-1">
        <section
          aria-label="Steps"
          className={`flex min-h-0 w-76 shrink-0 flex-col border-line border-r bg-surface max-lg:w-64 max-md:w-full max-md:border-r-0 ${pane === "steps" ? "" : "max-md:hidden"}`}
        >
          <StepList
            index={index}
            head={head}
            live={live}
            running={running}
            step={step}
            follow={follow}
            onFollow={toggleFollow}
            onChoose={(to) => {
              choose(to);
              setPane("step");
            }}
          />
        </section>
        <section
          aria-label={isLive ? "Step under way" : step === 0 ? "Start and result" : `Step ${step}`}
          className={`flex min-h-0 min-w-0 flex-1 flex-col bg-surface ${pane === "step" ? "" : "max-md:hidden"}`}
        >
          {isLive ? (
            <LiveView live={live} head={head} />
          ) : step === 0 ? (
            <Overview client={client} head={head} index={index} onChoose={choose} />
          ) : (
            <StepView
              key={index.columns.stateHash[step - 1]}
              client={client}
              head={head}
              n={step}
              stateHash={index.columns.stateHash[step - 1] ?? ""}
              tab={tab}
              onTab={(name: StepTab) => show({ tab: name === "said" ? null : name })}
            />
          )}
        </section>
        <section
          ref={graphPart}
          aria-label={view === "graph" ? "Graph" : "Time line"}
          className={`flex min-h-0 w-[36%] shrink-0 flex-col border-line border-l max-xl:w-[30%] max-lg:hidden max-md:w-full max-md:border-l-0 ${pane === "graph" ? "max-md:flex" : "max-md:hidden"}`}
        >
          <div className="flex shrink-0 gap-1 border-line border-b bg-surface px-2 py-1">
            {(["graph", "time"] as const).map((name) => (
              <Button
                key={name}
                size="small"
                look="bare"
                aria-pressed={view === name}
                className="aria-pressed:bg-raised aria-pressed:text-ink"
                onClick={() => show({ view: name === "graph" ? null : name })}
              >
                {name === "graph" ? "Graph" : "Time line"}
              </Button>
            ))}
          </div>
          <div className="min-h-0 flex-1">
            <Suspense fallback={<Loading />}>
              {view === "graph" ? (
                <ThreadGraph
                  client={client}
                  head={head}
                  index={index}
                  step={isLive ? null : step}
                  running={running ? live.map(({ role, group }) => group?.name ?? role) : NONE}
                  onChoose={choose}
                />
              ) : (
                <TimeLine
                  index={index}
                  startedAt={head.start.timestamp}
                  step={step}
                  onChoose={choose}
                />
              )}
            </Suspense>
          </div>
        </section>
      </div>
    </>
  );
}

const NONE: readonly string[] = [];

const PANES: readonly { pane: Pane; word: string }[] = [
  { pane: "steps", word: "Steps" },
  { pane: "step", word: "Step" },
  { pane: "graph", word: "Graph" },
];

function PaneSwitch({ pane, onChange }: { pane: Pane; onChange: (pane: Pane) => void }) {
  return (
    <div
      role="group"
      aria-label="Part"
      className="hidden gap-1 border-line border-b bg-surface px-3 py-1 max-md:flex"
    >
      {PANES.map(({ pane: name, word }) => (
        <Button
          key={name}
          size="small"
          aria-pressed={pane === name}
          className="flex-1 justify-center aria-pressed:border-accent aria-pressed:bg-tint"
          onClick={() => onChange(name)}
        >
          {word}
        </Button>
      ))}
    </div>
  );
}
