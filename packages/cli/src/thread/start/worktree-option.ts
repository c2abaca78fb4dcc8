import { bareOrTextOption, type Given, type Option } from "../../command/options.ts";

export const worktreeOption: Option<{ text: string | null } | null> = bareOrTextOption(
  "--worktree [base]",
  "work in a git worktree of its own, on a branch that begins at this commit (default: HEAD)",
);

/** Where it begins, null: at HEAD. undefined: where the workflow says. */
export function worktreeOf(given: Given): { base: string | null } | undefined {
  const typed = given(worktreeOption);
  return typed === null ? undefined : { base: typed.text };
}
