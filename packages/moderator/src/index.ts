export { checkFields, type FieldFinding } from "./check-fields.ts";
export { checkPattern } from "./check-pattern.ts";
export { checkRule } from "./check-rule.ts";
export { checkRuleWarnings } from "./check-rule-warnings.ts";
export { type EventNames, eventPasses, fillFromEvent } from "./evaluate-event.ts";
export { evaluateResult } from "./evaluate-result.ts";
export { checkTemplate, fillTemplate } from "./fill-template.ts";
export type { PickedMember } from "./group-members.ts";
export { GroupProgress } from "./group-progress.ts";
export { Ledger, withLimits } from "./ledger.ts";
export { limitBefore, limitWait } from "./limit-before.ts";
export { LIMITS } from "./limits.ts";
export { withLinearPatterns } from "./linear-patterns.ts";
export {
  evaluateModerator,
  groupFault,
  type OpenGroup,
  openGroup,
  type PickedRoute,
  pickRoute,
  stateAfter,
} from "./pick-route.ts";
export { policyOf, type TableRule } from "./rulebook.ts";
