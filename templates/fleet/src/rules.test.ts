import { buildDescriptor, END } from "@uncaged/workflow-runtime";
import {
  expectEveryEdge,
  expectRoute,
  type RunResult,
  runWorkflow,
  type Scripts,
  scripted,
} from "@uncaged/workflow-testkit";
import { describe, expect, it } from "vitest";
import { fleetWorkflowDefinition } from "./definition.ts";
import type { FleetMeta } from "./index.ts";

const part = { task: "parser", branch: "uncaged/work-01ABC", summary: "It reads quotes." };
const done: FleetMeta["lead"] = { status: "done", parts: [part], report: "Quotes are read." };
const landed: FleetMeta["merger"] = { landed: ["parser"], left: [] };
const sentBack: FleetMeta["merger"] = {
  landed: [],
  left: [{ task: "parser", reason: "npm test: 1 failing" }],
};

const fleet = (scripts: Partial<Scripts<FleetMeta>>): Promise<RunResult> =>
  runWorkflow(fleetWorkflowDefinition, {
    prompt: "Have tables hold quotes",
    agents: scripted({ lead: [done], merger: [landed], ...scripts }),
  });
const stuck = () => fleet({ lead: [{ ...done, status: "stuck" }] });
const nothing = () => fleet({ lead: [{ ...done, parts: [] }] });
const again = () => fleet({ lead: [done, done], merger: [sentBack, landed] });
const never = () => fleet({ lead: [done, done, done], merger: [sentBack, sentBack, sentBack] });

describe("a fleet", () => {
  it("lands what the lead names, by branch", async () => {
    const run = await fleet({});
    expectRoute(run, ["lead", "merger", END]);
    const prompt = run.routes.find(({ to }) => to === "merger")?.prompt;
    expect(prompt).toContain("- parser (branch uncaged/work-01ABC): It reads quotes.");
  });

  it("ends without a merge when there is nothing to land", async () => {
    expectRoute(await stuck(), ["lead", END]);
    expectRoute(await nothing(), ["lead", END]);
  });

  it("gives the lead what the queue sent back, twice at most", async () => {
    const run = await again();
    expectRoute(run, ["lead", "merger", "lead", "merger", END]);
    expect(run.routes.at(2)?.prompt).toContain("- parser: npm test: 1 failing");
    expectRoute(await never(), ["lead", "merger", "lead", "merger", "lead", "merger", END]);
  });

  it("takes every edge in these tests", async () => {
    const runs = await Promise.all([fleet({}), stuck(), nothing(), again(), never()]);
    expectEveryEdge(fleetWorkflowDefinition, runs);
  });

  it("has a lead that coordinates, and a merger that runs the queue's commands only", () => {
    const { lead, merger } = buildDescriptor(fleetWorkflowDefinition).roles;
    expect(lead?.coordinates).toMatchObject({ workflows: ["develop"] });
    expect(merger?.tools?.allow?.map(({ kind }) => kind)).not.toContain("edit");
  });
});
