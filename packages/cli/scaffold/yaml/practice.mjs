// Stands in for an agent while you try a workflow out: no model, no account, no cost.
// It answers with what answers.json has for the role: the answer under the number of the step, or the last one before it.
import { readFileSync } from "node:fs";

const { UNCAGED_ROLE: role = "", UNCAGED_ROUND: round = "1" } = process.env;
const answers = JSON.parse(readFileSync("answers.json", "utf8"))[role] ?? {};
const steps = Object.keys(answers).map(Number);
const step = Math.max(...steps.filter((number) => number <= Number(round)));
const answer = answers[step];
if (answer === undefined) {
  console.error(`answers.json has no answer for the role ${role} in step ${round}`);
  process.exit(1);
}
console.log(JSON.stringify(answer));
