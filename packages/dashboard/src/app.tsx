import { QueryClientProvider, usePrefetchQuery } from "@tanstack/react-query";
import type { CallFailure } from "@uncaged/workflow-gateway/contract";
import { Suspense, useEffect, useMemo, useState } from "react";
import { Redirect, Route, Router, Switch } from "wouter";
import { LogIn } from "./access/log-in.tsx";
import { makeQueries } from "./api/queries.ts";
import { forget, hasKey, logIn, takeCode } from "./api/session.ts";
import { ClientFrame, Frame } from "./shell/frame.tsx";
import { aroundNav } from "./shell/leaving.ts";
import { headQuery, indexQuery } from "./thread/thread-queries.ts";
import { Boundary } from "./ui/boundary.tsx";
import { lazily } from "./ui/lazily.ts";
import { Empty, Loading } from "./ui/notice.tsx";

const Home = lazily(() => import("./shell/home.tsx"), "Home");
const Inbox = lazily(() => import("./inbox/inbox.tsx"), "Inbox");
const ThreadsPage = lazily(() => import("./threads/threads-page.tsx"), "ThreadsPage");
const ThreadPage = lazily(() => import("./thread/thread-page.tsx"), "ThreadPage");
const ComparePage = lazily(() => import("./compare/compare-page.tsx"), "ComparePage");
const RacePage = lazily(() => import("./compare/race-page.tsx"), "RacePage");
const WorkflowsPage = lazily(() => import("./workflow/workflows-page.tsx"), "WorkflowsPage");
const WorkflowPage = lazily(() => import("./workflow/workflow-page.tsx"), "WorkflowPage");
const EditPage = lazily(() => import("./editor/edit-page.tsx"), "EditPage");
const RunPage = lazily(() => import("./run/run-page.tsx"), "RunPage");
const TasksPage = lazily(() => import("./fleet/tasks-page.tsx"), "TasksPage");
const QueuePage = lazily(() => import("./fleet/queue-page.tsx"), "QueuePage");
const SchedulesPage = lazily(() => import("./fleet/schedules-page.tsx"), "SchedulesPage");
const CostsPage = lazily(() => import("./fleet/costs-page.tsx"), "CostsPage");
const AccessPage = lazily(() => import("./access/access-page.tsx"), "AccessPage");

type Standing =
  | { state: "entering" }
  | { state: "outside"; failure: CallFailure | null }
  | { state: "inside" };

export function App() {
  const [standing, setStanding] = useState<Standing>({ state: "entering" });
  const queries = useMemo(
    () =>
      makeQueries(() => {
        forget();
        setStanding({ state: "outside", failure: null });
      }),
    [],
  );
  useEffect(() => {
    const enter = async () => {
      const code = takeCode();
      if (code === null) {
        return setStanding(hasKey() ? { state: "inside" } : { state: "outside", failure: null });
      }
      const session = await logIn({ code });
      setStanding(session.ok ? { state: "inside" } : { state: "outside", failure: session.error });
    };
    void enter();
    // A link that is opened in a tab that has the page changes the fragment only.
    const again = () => void enter();
    window.addEventListener("hashchange", again);
    return () => window.removeEventListener("hashchange", again);
  }, []);

  if (standing.state === "entering") return <Loading />;
  if (standing.state === "outside") {
    const entered = () => {
      queries.clear();
      setStanding({ state: "inside" });
    };
    return <LogIn failure={standing.failure} onEntered={entered} />;
  }
  return (
    <QueryClientProvider client={queries}>
      <Router aroundNav={aroundNav}>
        <Pages
          onLeave={() => {
            queries.clear();
            setStanding({ state: "outside", failure: null });
          }}
        />
      </Router>
    </QueryClientProvider>
  );
}

function Pages({ onLeave }: { onLeave: () => void }) {
  return (
    <Switch>
      <Route path="/c/:client/*?">
        {({ client }) => (
          <ClientFrame key={client} client={decodeURIComponent(client)} onLeave={onLeave}>
            <ClientPages client={decodeURIComponent(client)} />
          </ClientFrame>
        )}
      </Route>
      <Route>
        <Frame client={null} onLeave={onLeave}>
          <Suspense fallback={<Loading />}>
            <Switch>
              <Route path="/">
                <Home />
              </Route>
              <Route path="/access">
                <AccessPage />
              </Route>
              <Route>
                <NotFound />
              </Route>
            </Switch>
          </Suspense>
        </Frame>
      </Route>
    </Switch>
  );
}

function ClientPages({ client }: { client: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Boundary>
        <Switch>
          <Route path="/c/:c">
            <Redirect to={`/c/${encodeURIComponent(client)}/threads`} replace />
          </Route>
          <Route path="/c/:c/inbox">
            <Inbox clients={[client]} />
          </Route>
          <Route path="/c/:c/threads">
            <ThreadsPage client={client} />
          </Route>
          <Route path="/c/:c/t/:a/diff/:b">
            {({ a, b }) => <ComparePage key={`${a} ${b}`} client={client} a={a} b={b} />}
          </Route>
          <Route path="/c/:c/race">
            <RacePage client={client} />
          </Route>
          <Route path="/c/:c/t/:id">
            {({ id }) => <Thread key={id} client={client} id={id} />}
          </Route>
          <Route path="/c/:c/w">
            <WorkflowsPage client={client} />
          </Route>
          <Route path="/c/:c/w/:name/edit">
            {({ name }) => <EditPage key={name} client={client} name={decodeURIComponent(name)} />}
          </Route>
          <Route path="/c/:c/w/:name">
            {({ name }) => (
              <WorkflowPage key={name} client={client} name={decodeURIComponent(name)} />
            )}
          </Route>
          <Route path="/c/:c/run">
            <RunPage client={client} />
          </Route>
          <Route path="/c/:c/tasks">
            <TasksPage client={client} />
          </Route>
          <Route path="/c/:c/queue">
            <QueuePage client={client} />
          </Route>
          <Route path="/c/:c/schedules">
            <SchedulesPage client={client} />
          </Route>
          <Route path="/c/:c/costs">
            <CostsPage client={client} />
          </Route>
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Boundary>
    </Suspense>
  );
}

/** Asked for while the code of the page is loaded. */
function Thread({ client, id }: { client: string; id: string }) {
  usePrefetchQuery(headQuery(client, id));
  usePrefetchQuery(indexQuery(client, id));
  return <ThreadPage client={client} id={id} />;
}

function NotFound() {
  return <Empty title="There is nothing at this address">The bar above leads elsewhere.</Empty>;
}
