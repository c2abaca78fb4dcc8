/** A workflow from somebody's own words to its publication, drafted by a real agent on a scripted model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { EXIT, type ThreadView } from "@uncaged/workflow-protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Cli, openCli } from "./cli.test.helper.ts";
import { KEY, type ModelServer, openModelServer, said } from "./model-server.test.helper.ts";

const FLOW = (target: string): string => `# what they said
description: A colleague drafts letters, and I read each
roles:
  drafter:
    goal: Draft the letter
    output: { type: object, properties: { text: { type: string } }, required: [text] }
  reader:
    by: person
    goal: Read the letter
    output: { type: object, properties: { status: { enum: [send, again] }, wish: { type: string } }, required: [status] }
graph:
  $START: { new: drafter }
  drafter: { role: ${target}, prompt: "{{ last.meta.text }}" }
  reader: { send: $END, again: { role: drafter, prompt: "{{ last.meta.wish }}" } }
`;

let cli: Cli;
let model: ModelServer;
beforeAll(async () => {
  cli = openCli();
  model = await openModelServer((request) => {
    const text = said(request);
    if (text.includes("You are the interviewer.")) {
      return text.includes("I read each one")
        ? content({ status: "clear", question: "", summary: "Draft, then a person reads." })
        : content({ status: "asks", question: "Who reads the letters?", summary: "" });
    }
    // The first one names somebody who is not there; the last one has what the owner wished for.
    if (text.includes("shorter letters")) {
      return content({ yaml: FLOW("reader").replace("Draft the letter", "Draft a short letter") });
    }
    return content({ yaml: FLOW(text.includes("The engine refuses it") ? "reader" : "readr") });
  });
  mkdirSync(cli.root, { recursive: true });
  const provider = { baseUrl: model.baseUrl, apiKey: "$LAB_KEY" };
  const agents = {
    llm: { package: "@uncaged/workflow-agent-llm", options: { model: "lab/small" } },
  };
  const config = { providers: { lab: provider }, agents, defaultAgent: "llm" };
  writeFileSync(join(cli.root, "workflow.yaml"), JSON.stringify({ config }), { mode: 0o600 });
});
afterAll(async () => {
  await model.close();
  await cli.close();
});

function content(meta: object): { content: string } {
  return { content: JSON.stringify(meta) };
}

type Waiting = { threadId: string; waiting: string; message: string };

it("asks, drafts, is refused by the engine, is tried, changed and published", async () => {
  const env = { LAB_KEY: KEY };
  const teach = async (args: readonly string[]): Promise<Waiting> => {
    const ran = await cli.run(["teach", "letters", ...args, "--json"], { env });
    expect(ran.code, ran.stderr).toBe(EXIT.waitsForPerson);
    return JSON.parse(ran.stdout);
  };
  const begun = await teach(["--prompt", "A colleague drafts letters."]);
  expect(begun).toMatchObject({ waiting: "speaker", message: "Who reads the letters?" });
  const { threadId } = begun;
  const on = ["--thread", threadId];
  const answer = (...fields: string[]): Promise<unknown> =>
    cli.json(["thread", "answer", threadId, ...fields], { env });

  await answer("answer=I read each one");
  const asked = await teach(on);
  expect(asked.waiting).toBe("owner");
  expect(asked.message).toContain("- drafter (an agent) is to: draft the letter. Says text.");
  expect(asked.message).toContain("- If reader says send, it ends.");
  expect(asked.message).toContain("Tried 2 times");
  const early = await cli.run(["workflow", "show", "letters"]);
  expect(early.code).toBe(EXIT.failure);

  await answer("status=change", "wish=shorter letters please");
  expect((await teach(on)).message).toContain("draft a short letter");

  await answer("status=good");
  const ran = await cli.run(["teach", "letters", ...on, "--json"], { env });
  expect(ran.code, ran.stderr).toBe(EXIT.success);
  expect(JSON.parse(ran.stdout)).toMatchObject({ name: "letters", previous: null, threadId });
  const { yaml } = await cli.json<{ yaml: string }>(["workflow", "show", "letters", "--yaml"]);
  expect(yaml).toBe(FLOW("reader").replace("Draft the letter", "Draft a short letter"));

  const { steps } = await cli.json<ThreadView>(["thread", "show", threadId]);
  expect(steps.map(({ role, meta }) => `${role} ${meta.status ?? ""}`.trim())).toEqual([
    ...["interviewer asks", "speaker", "interviewer clear", "drafter", "checker faulty"],
    ...["drafter", "checker sound", "owner change", "drafter", "checker sound", "owner good"],
  ]);
  expect(steps[4]?.meta.said).toContain('there is no role "readr"');
  expect(await cli.json(["thread", "verify", threadId])).toMatchObject({ ok: true });
});

it("goes on with no other thread, and says what a thread drafted nothing for", async () => {
  const strange = await cli.run(["teach", "letters", "--thread", "0".repeat(26), "--json"]);
  expect(strange.code).toBe(EXIT.failure);
  expect(strange.stderr + strange.stdout).toContain("THREAD_NOT_FOUND");
  const silent = await cli.run(["teach", "letters"]);
  expect(silent.code).toBe(EXIT.usage);
});
