export type { GitScope } from "./git/git-scope.ts";
export { type GitOptions, type GitRun, gitFailed, runGit, tryGit } from "./git/run-git.ts";
export {
  branchOf,
  findRepository,
  headOf,
  type ObjectFormat,
  type Repository,
} from "./repository/find-repository.ts";
