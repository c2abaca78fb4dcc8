import { useQuery } from "@tanstack/react-query";
import { call } from "@uncaged/workflow-gateway/contract";
import { Link } from "wouter";
import { useReply } from "../api/queries.ts";
import { threadAt } from "../shell/addresses.ts";
import { Said } from "../text/said.tsx";
import { headQuery } from "../thread/thread-queries.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Ago } from "../ui/time.tsx";

/** The last step of a thread, and the way to all of them. */
export function BeforeIt({
  client,
  threadId,
  stepCount,
}: {
  client: string;
  threadId: string;
  stepCount: number;
}) {
  if (stepCount === 0) return <Prompt client={client} threadId={threadId} />;
  return <LastStep client={client} threadId={threadId} n={stepCount} />;
}

function LastStep({ client, threadId, n }: { client: string; threadId: string; n: number }) {
  const path = { id: threadId, n: String(n) };
  const query = useReply(["step", client, threadId, n], (to, signal) =>
    call(to, "showStep", { client, path, signal }),
  );
  return (
    <div className="my-2 border-line border-l-2 pl-3">
      <Loaded query={query}>
        {({ step }) => (
          <>
            <p className="hint mb-1">
              <Link href={threadAt(client, threadId, n)} className="text-accent">
                Step {n}, {step.role}
              </Link>
              , <Ago at={step.timestamp} />
            </p>
            <Said text={step.content} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Prompt({ client, threadId }: { client: string; threadId: string }) {
  const query = useQuery(headQuery(client, threadId));
  return (
    <div className="my-2 border-line border-l-2 pl-3">
      <Loaded query={query}>{({ start }) => <Said text={start.prompt} />}</Loaded>
    </div>
  );
}
