export { checkPattern } from "./check-pattern.ts";
export { checkRule } from "./check-rule.ts";
export { checkRuleWarnings } from "./check-rule-warnings.ts";
export { checkTemplate, fillTemplate } from "./fill-template.ts";
export { LIMITS } from "./limits.ts";
export { withLinearPatterns } from "./linear-patterns.ts";
export { evaluateModerator, type PickedRoute, pickRoute } from "./pick-route.ts";
export type { TableRule } from "./rulebook.ts";
