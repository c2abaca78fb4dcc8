import { test } from "node:test";
import { END } from "@uncaged/workflow-runtime";
import { expectEveryEdge, expectRoute, runWorkflow, scripted } from "@uncaged/workflow-testkit";
import { definition } from "../src/definition.ts";

const accepted = { status: "accepted", problem: null } as const;
const rejected = { status: "rejected", problem: "too long" } as const;

test("a headline goes back to the writer until the editor accepts it", async () => {
  const result = await runWorkflow(definition, {
    prompt: "Rain in the north",
    agents: scripted({
      writer: [{ headline: "It will rain" }, { headline: "Rain" }],
      editor: [rejected, accepted],
    }),
  });
  expectRoute(result, ["writer", "editor", "writer", "editor", END]);
});

test("every rule of the table is taken by some run", async () => {
  const turns = [rejected, accepted];
  const patient = await runWorkflow(definition, {
    prompt: "Rain in the north",
    agents: scripted({ writer: [{ headline: "A" }, { headline: "B" }], editor: turns }),
  });
  const stubborn = await runWorkflow(definition, {
    prompt: "Rain in the north",
    agents: scripted({
      writer: [{ headline: "A" }, { headline: "B" }, { headline: "C" }],
      editor: [rejected, rejected, rejected],
    }),
  });
  expectEveryEdge(definition, [patient, stubborn]);
});
