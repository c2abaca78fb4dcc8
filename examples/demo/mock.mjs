/** A scripted model in place of a real one: the program of the agent is real, and nothing leaves the machine. */
import {
  connectionOf,
  installPrograms,
  scriptByStep,
  startModelServer,
} from "@uncaged/workflow-agent-lab";
import { folder, say, uncaged } from "./stage.mjs";

const PHASE = "src/slugify.js: one hyphen between words, none at the ends. Proof: npm test.\n";
const MEND = `sed -i.orig -e 's/9\\]/9]+/' -e 's/"-")/"-").replace(\\/^-|-$\\/g, "")/' src/slugify.js && rm src/slugify.js.orig`;

/** The agent's options that connect it to the model. Installs the program when that was not done before. */
export async function startMock(agent) {
  say("the program is taken from npm, once a machine; that may be hundreds of megabytes");
  const [program] = await installPrograms([agent]);
  const server = await startModelServer({ scriptOf: scriptByStep(scripts()) });
  const { env, model, codex } = connectionOf(agent, server.url);
  say(`${program.path}\nits model is a script on ${server.url}`);
  const options = {
    command: program.path,
    // Nothing of the user's own shell is started.
    env: { ...env, HOME: folder },
    ...(model === null ? {} : { model }),
    ...(codex === null ? {} : { provider: codex }),
  };
  return { options, stop: () => server.stop() };
}

function scripts() {
  // A script cannot read what `cas put` prints, so the hash is found out before.
  const { hash } = uncaged("cas", "put", PHASE);
  const json = (meta) => `[[json:${JSON.stringify(meta)}]]`;
  const phases = [{ hash, title: "One hyphen between words" }];
  const work = { completedPhase: hash, summary: "One hyphen.", changedFiles: ["src/slugify.js"] };
  return {
    "1 planner": `[[shell:uncaged-workflow cas put - <<'PHASE'\n${PHASE}PHASE]] ${json({ status: "planned", phases, reason: null })}`,
    "2 coder": `[[shell:${MEND}]] [[shell:npm test]] ${json(work)}`,
    "3 reviewer": `[[shell:git diff HEAD]] ${json({ status: "approved", findings: [] })}`,
  };
}
