/** A role that coordinates: tools of the engine, and messages that come when a turn has ended. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { JsonValue, WorkerDesk } from "@uncaged/workflow-protocol";
import { ANSWER, type Behaviour, ending, endsAs } from "./behaviour.ts";

export const COORDINATING: readonly Behaviour[] = [
  {
    id: "coordinates",
    says: "an agent calls the engine's tools, changes no file, and hears of an end in the next message",
    async play(bench) {
      const path = join(bench.cwd, "forbidden.txt");
      const { desk, spawned } = worker();
      const spawn = '[[tool:worker_spawn {"title":"count","prompt":"count the files"}]]';
      const step = await bench.play({
        // After a refusal some end their turn.
        prompt: `${spawn} [[edit:${path}]] [[text:one worker is counting]]`,
        rules: {
          coordinates: { workflows: ["count"] },
          tools: {
            allow: [{ kind: "read" }, { kind: "search" }, { kind: "other", name: "*worker_spawn" }],
            deny: [{ kind: "edit" }],
          },
        },
        workers: desk,
      });
      const turns = bench.model
        .calls()
        .filter(({ messages }) => said(messages).includes("<task-id>w1"));
      return {
        ...ending(step),
        changed: existsSync(path),
        spawned,
        heard: turns.length > 0,
        knew: said(bench.model.calls()[0]?.messages ?? []).includes("At most four"),
      };
    },
    expects: {
      ...endsAs("ok"),
      changed: false,
      spawned: [{ title: "count", prompt: "count the files" }],
      heard: true,
      knew: true,
    },
  },
];

const said = (messages: unknown): string => JSON.stringify(messages);

/** A desk whose only worker ends at once; what the coordinator is told has the rest of the model's script. */
function worker(): { desk: WorkerDesk; spawned: JsonValue[] } {
  const spawned: JsonValue[] = [];
  const untold: string[] = [];
  const desk: WorkerDesk = {
    tools: [
      {
        name: "worker_spawn",
        description: "Starts a worker and returns at once.",
        parameters: {
          type: "object",
          properties: { title: { type: "string" }, prompt: { type: "string" } },
          required: ["title", "prompt"],
        },
        readOnly: false,
        call: async (input) => {
          spawned.push(input);
          untold.push(`<task-notification><task-id>w1</task-id></task-notification> ${ANSWER}`);
          return { text: '{"id":"w1"}', ok: true };
        },
      },
    ],
    manners: async () => "# Your workers\n\nAt most four at once.",
    session: async () => null,
    resumed: async () => "",
    news: async () => untold.shift() ?? null,
  };
  return { desk, spawned };
}
