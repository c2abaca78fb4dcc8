import type { ThreadHead, ThreadIndex } from "@uncaged/workflow-gateway/contract";
import { BoundedText } from "../text/bounded-text.tsx";
import { Said } from "../text/said.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { Fact, Facts } from "../ui/facts.tsx";
import { Notice } from "../ui/notice.tsx";
import { duration, moment } from "../ui/times.ts";
import { limitsInWords } from "./limits.ts";
import { failureFrom } from "./steps.ts";

/** What a thread was asked, what came out, and what it is made of. */
export function Overview({
  client,
  head,
  index,
  onChoose,
}: {
  client: string;
  head: ThreadHead;
  index: ThreadIndex;
  onChoose: (step: number) => void;
}) {
  const { result, start } = head;
  const failed = failureFrom(index, 0, 1);
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-4" tabIndex={0}>
      {result !== null && (
        <section className="mb-5">
          <h2 className="mb-1">Result</h2>
          {result.returnCode !== 0 && (
            <div className="mb-2">
              <Notice tone="bad" title={`It ended with code ${result.returnCode}`} />
            </div>
          )}
          {result.value !== undefined && (
            <Said
              text={typeof result.value === "string" ? result.value : JSON.stringify(result.value)}
            />
          )}
          {result.error !== undefined && <Notice tone="bad" title={result.error} />}
          <BoundedText text={result.summary} name="summary" prose />
          {failed !== null && (
            <Button size="small" className="mt-2" onClick={() => onChoose(failed)}>
              Go to the first failure, step {failed}
            </Button>
          )}
        </section>
      )}
      <section className="mb-5">
        <h2 className="mb-1">Prompt</h2>
        <Said text={start.prompt} />
      </section>
      <section>
        <h2 className="mb-1">Facts</h2>
        <Facts>
          <Fact name="Thread">
            <span className="font-mono">{head.threadId}</span>
          </Fact>
          <Fact name="Client">{client}</Fact>
          <Fact name="Bundle">
            <span className="font-mono">{head.bundleHash}</span>
          </Fact>
          <Fact name="Head">
            <span className="font-mono">{head.head}</span>
          </Fact>
          <Fact name="Folder">
            <span className="foreign font-mono">{head.cwd}</span>
          </Fact>
          <Fact name="Started">{moment(start.timestamp)}</Fact>
          <Fact name="Last change">
            {moment(head.updatedAt)}, after {duration(head.updatedAt - start.timestamp)}
          </Fact>
          {head.upgrades.map((upgrade) => (
            <Fact key={upgrade.stateHash} name={`Upgraded after ${upgrade.afterRound}`}>
              <span className="font-mono">
                {upgrade.from} → {upgrade.to}
              </span>
            </Fact>
          ))}
          {head.limits !== null && (
            <Fact name="Limits">
              {limitsInWords(head.limits).map((line) => (
                <span key={line} className="foreign block">
                  {line}
                </span>
              ))}
            </Fact>
          )}
        </Facts>
        <div className="mt-3 flex gap-2">
          <CopyButton label="Copy as JSON" text={() => JSON.stringify(head, null, 2)} />
          <CopyButton label="Copy command" text={() => `uwf thread show ${head.threadId}`} />
        </div>
      </section>
    </div>
  );
}
