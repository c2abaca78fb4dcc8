/** What a role's tool calls are allowed to do, and what they prove: used while an agent is being watched, by the
 *  engine afterwards, and when a thread is verified. A separate entry point: commands that judge no call must not
 *  pay for loading the regex engine. */
export { effectOnShell, leadingDirectory } from "./command-evidence.ts";
export { lineOfWords } from "./command-forms.ts";
export {
  type EvidenceTally,
  evidenceTally,
  evidenceWords,
  type MissingEvidence,
  missingEvidence,
  requirementWords,
  type SeenCall,
} from "./missing-evidence.ts";
export {
  leavesCommands,
  type PolicyCall,
  type PolicyVerdict,
  policyVerdict,
  ruleWords,
} from "./policy-verdict.ts";
