/** `npm run demo`: a real job through a real workflow, offline, in half a minute.
 *
 *  It makes a git repository with a bug and a failing test, builds and registers the `develop` workflow, runs
 *  it, kills its runner half-way, resumes it, and verifies what came out. Then two agents work at once in worktrees; one
 *  lies about its tests, and the merge queue finds out. Everything happens in one temporary
 *  folder, which is removed at the end (`--keep` leaves it there to look at; `--page` opens the dashboard on it).
 *
 *  `npm run demo -- --agent claude`: planner, coder and reviewer are played by an agent that is installed here and
 *  logged in, which costs what it costs; with `--mock` by the real program with a scripted model behind it.
 *  Exits with 1 when anything is not as it should be, with 2 for words that it does not know. */
import { parseArgs } from "node:util";
import { AGENT_NAMES } from "./agents.mjs";

const USAGE = `Usage: npm run demo -- [--agent <name> [--mock]] [--page] [--keep]

  --agent <name>  planner, coder and reviewer are played by an agent that is installed here:
                  ${AGENT_NAMES.join(", ")}
  --mock          the real program, fetched once, with a scripted model: offline, at no cost
  --page          then opens the dashboard on what was done, until Ctrl-C
  --keep          leaves the folder, and prints commands to explore it`;

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        agent: { type: "string" },
        mock: { type: "boolean", default: false },
        page: { type: "boolean", default: false },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.mock && values.agent === undefined)
      throw new Error("--mock goes with --agent <name>");
    if (values.agent === undefined || AGENT_NAMES.includes(values.agent)) return values;
    throw new Error(`no such agent: ${values.agent} (there are ${AGENT_NAMES.join(", ")})`);
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    return null;
  }
}

const wanted = readArguments();
if (wanted === null) process.exitCode = 2;
else if (wanted.help) console.log(USAGE);
else if (wanted.agent === undefined) await (await import("./play-recorded.mjs")).playRecorded();
else process.exitCode = await (await import("./play-agent.mjs")).playAgent(wanted);
