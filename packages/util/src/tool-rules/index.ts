/** What a role's tool calls are held to, and what they prove: judged here for whoever watches an agent, for the engine
 *  after it, and for whoever verifies a thread. An entry point of its own: commands that judge no call must not pay for
 *  loading the engine of patterns. */
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
  type PolicyCall,
  type PolicyVerdict,
  policyVerdict,
  ruleWords,
} from "./policy-verdict.ts";
