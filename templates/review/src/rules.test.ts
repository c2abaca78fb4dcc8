import { buildDescriptor, END } from "@uncaged/workflow-runtime";
import {
  answers,
  expectEveryEdge,
  expectRoute,
  fails,
  type RunResult,
  runWorkflow,
  type Scripts,
  scripted,
} from "@uncaged/workflow-testkit";
import { describe, expect, expectTypeOf, it } from "vitest";
import { reviewWorkflowDefinition } from "./definition.ts";
import type { ReporterMeta, ReviewMeta } from "./index.ts";

const planned: ReviewMeta["planner"] = {
  files: [
    { path: "src/parse.ts", focus: "It reads quotes now." },
    { path: "src/print.ts", focus: "Called with what parse.ts returns." },
  ],
  purpose: "Tables may hold quotes.",
};
const clean: ReviewMeta["reviewer"] = { findings: [], summary: "Read it and its callers." };
const found: ReviewMeta["reviewer"] = {
  findings: [
    { place: "src/print.ts:7", severity: "blocking", problem: "a quote ends the cell" },
    { place: "src/print.ts:9", severity: "minor", problem: "the width counts the quotes" },
  ],
  summary: "Tried cells with quotes.",
};
const report: ReporterMeta = {
  verdict: "request_changes",
  findings: [{ place: "src/print.ts:7", severity: "blocking", problem: "a quote ends the cell" }],
  report: "One finding.",
};

function review(scripts: Partial<Scripts<ReviewMeta>>): Promise<RunResult> {
  return runWorkflow(reviewWorkflowDefinition, {
    prompt: "Review the branch quotes",
    agents: scripted({
      planner: [planned],
      reviewer: [clean, found],
      reporter: [report],
      ...scripts,
    }),
  });
}

async function promptOfReporter(run: Promise<RunResult>): Promise<string> {
  return (await run).routes.find(({ to }) => to === "reporter")?.prompt ?? "";
}

const nothingToDo = (): Promise<RunResult> => review({ planner: [{ ...planned, files: [] }] });

describe("a review", () => {
  it("has every file reviewed, then makes one report, which is its result", async () => {
    const run = await review({});
    expectRoute(run, ["planner", "reviews", "reporter", END]);
    expect(run.steps.map(({ role }) => role)).toEqual([
      "planner",
      "reviewer",
      "reviewer",
      "reporter",
    ]);
    expect(run.result).toEqual(report);
  });

  it("tells each reviewer its file, what to look at, and what the change is for", async () => {
    const prompts: string[] = [];
    const heard = answers((_, { step }) => {
      prompts.push(step.route?.prompt ?? "");
      return clean;
    });
    await review({ reviewer: [heard, heard] });
    expect(prompts.toSorted()).toEqual([
      "Review src/parse.ts.\nIt reads quotes now.\n\nThe change as a whole: Tables may hold quotes.",
      "Review src/print.ts.\nCalled with what parse.ts returns.\n\nThe change as a whole: Tables may hold quotes.",
    ]);
  });

  it("hands the reporter every finding and what each reviewer says", async () => {
    const prompt = await promptOfReporter(review({}));
    expect(prompt).toContain("- src/print.ts:7 (blocking): a quote ends the cell\n");
    expect(prompt).toContain("- src/print.ts:9 (minor): the width counts the quotes");
    expect(prompt).toContain("- src/parse.ts: Read it and its callers.\n");
    expect(prompt).toContain("- src/print.ts: Tried cells with quotes.");
  });

  it("tells the reporter which files were not reviewed, and why", async () => {
    const prompt = await promptOfReporter(
      review({ reviewer: [clean, fails("the model is away")] }),
    );
    expect(prompt).toContain("2 files, 1 of which could not be reviewed.\n- src/print.ts: ");
    expect(prompt).toContain("the model is away");
    expect(prompt).not.toContain("- src/print.ts: Tried");
  });

  it("ends without a report when there is nothing to review", async () => {
    const run = await nothingToDo();
    expectRoute(run, ["planner", END]);
    expect(run.completion).toMatchObject({ returnCode: 0 });
  });

  it("is walked whole by the runs of this file", async () => {
    expectEveryEdge(reviewWorkflowDefinition, [await review({}), await nothingToDo()]);
  });
});

describe("the roles of a review", () => {
  const { roles } = buildDescriptor(reviewWorkflowDefinition);

  it("edit nothing", () => {
    for (const [role, { tools }] of Object.entries(roles))
      expect(tools, role).toEqual({
        deny: [{ kind: "edit" }, { kind: "delete" }, { kind: "move" }],
      });
  });

  it("are told about every field of what they report", () => {
    for (const [role, { schema, systemPrompt }] of Object.entries(roles)) {
      const answer = systemPrompt.slice(systemPrompt.indexOf("## Answer"));
      for (const field of Object.keys(schema.properties ?? {}))
        expect(answer, `${role}.${field}`).toMatch(new RegExp(`^- ${field}: `, "mu"));
    }
  });

  it("infer their metas from the schemas", () => {
    expectTypeOf<ReporterMeta["verdict"]>().toEqualTypeOf<"approve" | "request_changes">();
    expectTypeOf<keyof ReviewMeta>().toEqualTypeOf<"planner" | "reviewer" | "reporter">();
  });
});
