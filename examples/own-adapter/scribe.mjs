#!/usr/bin/env node
/** The agent of this example, in place of a real one. It counts the words of a file that its task names, with
 *  `wc`, and answers with their number. Sessions are files in `$SCRIBE_HOME`; exit code 3: there is no such
 *  session. */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const [flag, wanted] = process.argv.slice(2);
if (flag === "--version") {
  console.log("scribe 1.0.0");
  process.exit(0);
}

const session = flag === "--resume" ? wanted : randomUUID();
const memory = join(process.env.SCRIBE_HOME ?? tmpdir(), `${session}.txt`);
if (flag === "--resume" && !existsSync(memory)) {
  console.error(`there is no session ${session}`);
  process.exit(3);
}

const say = (event) => console.log(JSON.stringify(event));
const prompt = readFileSync(0, "utf8");
const known = existsSync(memory) ? readFileSync(memory, "utf8") : "";
const [, file = ""] = /words of (\S+)/.exec(known + prompt) ?? [];
writeFileSync(memory, known + prompt);

say({ type: "session", id: session });
const command = `wc -w ${file}`;
const { stdout, status } = spawnSync("wc", ["-w", file], { encoding: "utf8" });
say({ type: "tool", id: "1", name: "shell", command, output: stdout, exitCode: status ?? 1 });
say({ type: "usage", inputTokens: prompt.length, outputTokens: 20 });
const answer = { words: Number.parseInt(stdout, 10) };
say({ type: "text", text: `I counted.\n\n\`\`\`json\n${JSON.stringify(answer)}\n\`\`\`` });
