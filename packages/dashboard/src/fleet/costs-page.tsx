import { call } from "@uncaged/workflow-gateway/contract";
import { SPENT_BY, type SpentBy, type Usage } from "@uncaged/workflow-protocol";
import { useLocation, useSearch } from "wouter";
import { useReply } from "../api/queries.ts";
import { oneLine } from "../text/visible.ts";
import { CopyButton } from "../ui/copy.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { Select } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Empty } from "../ui/notice.tsx";
import { ScrollView } from "../ui/scroll.tsx";
import { money } from "../ui/times.ts";

const DAY_MS = 86_400_000;

/** Tokens and dollars over all threads, removed ones included. */
export function CostsPage({ client }: { client: string }) {
  const given = new URLSearchParams(useSearch());
  const [path, go] = useLocation();
  const by: SpentBy = SPENT_BY.find((each) => each === given.get("by")) ?? "day";
  const days = given.get("days") ?? "";
  const since =
    Number(days) > 0
      ? new Date(Date.now() - (Number(days) - 1) * DAY_MS).toISOString().slice(0, 10)
      : "";
  const query = useReply(["costs", client, by, since], (to, signal) =>
    call(to, "costs", { client, query: { by, ...(since === "" ? {} : { since }) }, signal }),
  );
  const show = (next: { by: string; days: string }) =>
    go(`${path}?${new URLSearchParams(next)}`, { replace: true });
  return (
    <ScrollView
      title="Costs"
      side={
        <>
          <CopyButton
            look="bare"
            label="Copy command"
            text={() => `uwf costs --by ${by}${since === "" ? "" : ` --since ${since}`}`}
          />
          <Select
            aria-label="By"
            className="w-auto!"
            value={by}
            onChange={(event) => show({ by: event.target.value, days })}
          >
            {SPENT_BY.map((each) => (
              <option key={each} value={each}>
                by {each}
              </option>
            ))}
          </Select>
          <Select
            aria-label="Since"
            className="w-auto!"
            value={days}
            onChange={(event) => show({ by, days: event.target.value })}
          >
            <option value="">all time</option>
            <option value="1">today</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
          </Select>
        </>
      }
    >
      <Loaded query={query}>
        {({ costs, total, runs }) => {
          if (costs.length === 0 || total === null) {
            return (
              <Empty title="Nothing is booked">
                What agents report to have used is summed here.
              </Empty>
            );
          }
          const most = Math.max(1, ...costs.map(({ usage }) => tokensOf(usage)));
          return (
            <>
              <p className="mb-3 text-base">
                <strong className="tabular">{tokensOf(total).toLocaleString("en")}</strong> tokens
                {total.costUsd !== null && (
                  <>
                    , <strong>{money(total.costUsd)}</strong>
                  </>
                )}{" "}
                <span className="text-dim">in {runs} runs of agents</span>
              </p>
              <DataTable
                label={`Costs by ${by}`}
                rows={costs}
                keyOf={({ key }) => key ?? ""}
                columns={[
                  { title: by, cell: ({ key }) => (key === null ? "none" : oneLine(key, 80)) },
                  {
                    title: "Share of tokens",
                    wideOnly: true,
                    cell: ({ usage }) => (
                      <span
                        aria-hidden="true"
                        className="block h-2 min-w-0.5 rounded-sm bg-accent"
                        style={{ width: `${(100 * tokensOf(usage)) / most}%` }}
                      />
                    ),
                  },
                  {
                    title: "Input",
                    right: true,
                    cell: ({ usage }) => usage.inputTokens.toLocaleString("en"),
                  },
                  {
                    title: "Output",
                    right: true,
                    cell: ({ usage }) => usage.outputTokens.toLocaleString("en"),
                  },
                  {
                    title: "Dollars",
                    right: true,
                    cell: ({ usage }) => (usage.costUsd === null ? "–" : money(usage.costUsd)),
                  },
                  { title: "Runs", right: true, wideOnly: true, cell: (row) => row.runs },
                ]}
              />
            </>
          );
        }}
      </Loaded>
    </ScrollView>
  );
}

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;
