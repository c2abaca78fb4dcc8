/** LangGraph.js with its SQLite saver: a graph of one node that loops.
 *
 *  1. As shipped: `durability: "async"`, and the saver's database as better-sqlite3 opens it.
 *  2. Durable: the checkpoint is awaited before the next step, and every commit is flushed.
 *  3. The state holds the last answer only, or, as agents keep their messages, all of them. Ours hands
 *     the role all steps before; so it is the second that does the same work.
 *  4. A fan-out is a `Send` for each member: what a member writes is stored when it ends, and the join reads
 *     all of it. */
import { join } from "node:path";
import { Annotation, END, Send, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { ANSWER } from "../../parts/answer.mjs";
import { versionOf } from "../version-of.mjs";

/** `durable`: see 2. `keeps`: "last" or "all" answers, see 3. */
export function openLangGraph(folder, { durable, keeps }) {
  const saver = SqliteSaver.fromConnString(join(folder, "checkpoints.db"));
  if (durable) saver.db.pragma("synchronous = FULL");
  const durability = durable ? "sync" : "async";
  let made = 0;
  return {
    version: `${versionOf("@langchain/langgraph")}, saver ${versionOf("@langchain/langgraph-checkpoint-sqlite")}`,
    async thread(steps, between) {
      made += 1;
      await graphOf(between, keeps)
        .compile({ checkpointer: saver })
        .invoke(
          { step: 0, steps },
          {
            configurable: { thread_id: `thread-${made}` },
            recursionLimit: steps + 1,
            durability,
          },
        );
    },
    async fan(members) {
      made += 1;
      const { answers } = await fanOf(members)
        .compile({ checkpointer: saver })
        .invoke(
          {},
          {
            configurable: { thread_id: `thread-${made}` },
            maxConcurrency: AT_ONCE,
            durability,
          },
        );
      return answers.map(({ step }) => step);
    },
    close: () => saver.db.close(),
  };
}

/** As many as ours. */
const AT_ONCE = 16;

function fanOf(members) {
  const answers = Annotation({
    reducer: (before, now) => before.concat(now),
    default: () => [],
  });
  const steps = Array.from({ length: members }, (_, at) => at + 1);
  return new StateGraph(Annotation.Root({ step: Annotation(), answers }))
    .addNode("worker", ({ step }) => ({ answers: [{ status: "going", step, content: ANSWER }] }))
    .addNode("join", () => ({}))
    .addConditionalEdges(START, () => steps.map((step) => new Send("worker", { step })), ["worker"])
    .addEdge("worker", "join")
    .addEdge("join", END);
}

function graphOf(between, keeps) {
  const answers =
    keeps === "all"
      ? Annotation({ reducer: (before, now) => before.concat(now), default: () => [] })
      : Annotation();
  const State = Annotation.Root({ step: Annotation(), steps: Annotation(), answers });
  return new StateGraph(State)
    .addNode("worker", async ({ step }) => {
      await between();
      return { step: step + 1, answers: [`${step + 1}: ${ANSWER}`] };
    })
    .addEdge(START, "worker")
    .addConditionalEdges("worker", ({ step, steps }) => (step < steps ? "worker" : END));
}
