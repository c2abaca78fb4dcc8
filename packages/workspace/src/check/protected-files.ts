/** Controls: files that decide what a check checks. Globs from the root, matched without regard to case. */

const FOLDERS = [
  "test",
  "tests",
  "__tests__",
  "__snapshots__",
  "__mocks__",
  "spec",
  "specs",
  "e2e",
  "cypress",
  // Installed, or remembered from earlier runs.
  "node_modules",
  ".venv",
  "__pycache__",
  ".pytest_cache",
  ".cache",
  ".turbo",
  ".nyc_output",
  "vendor",
  // Agents and editors that run commands by themselves; CI.
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".vscode",
  ".husky",
  ".github",
  ".gitlab",
  ".circleci",
  ".ci",
  ".cargo",
];

/** Files that say what gets installed, wherever they are. */
const DEPENDENCIES = [
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "pnpm-workspace.yaml",
  ".pnpmfile.*",
  "yarn.lock",
  "bun.lock*",
  ".npmrc",
  ".yarnrc*",
  ".nvmrc",
  ".node-version",
  ".python-version",
  ".tool-versions",
  "requirements*.txt",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "poetry.lock",
  "uv.lock",
  "Pipfile*",
  "go.mod",
  "go.sum",
  "Cargo.toml",
  "Cargo.lock",
];

const FILES = [
  "*.test.*",
  "*.spec.*",
  "*_test.*",
  "*-test.*",
  "test.*",
  "tests.*",
  "test_*.py",
  "conftest.py",
  "*.snap",
  // What the package is, what it needs, and what its commands mean.
  ...DEPENDENCIES,
  "bunfig.toml",
  "deno.json*",
  "deno.lock",
  "mise.toml",
  "tox.ini",
  "noxfile.py",
  "pytest.ini",
  "sitecustomize.py",
  "usercustomize.py",
  "*.pth",
  "*.pyc",
  "go.work*",
  "build.rs",
  "rust-toolchain*",
  "Makefile",
  "GNUmakefile",
  "*.mk",
  "justfile",
  "Taskfile.*",
  "Rakefile",
  "Gemfile*",
  // Runners and what they load first.
  "vitest.*",
  "vite.config.*",
  "jest.*",
  "karma.*",
  "ava.config.*",
  "playwright.config.*",
  "cypress.config.*",
  "babel.config.*",
  ".babelrc*",
  ".mocharc*",
  ".nycrc*",
  ".c8rc*",
  "tsconfig*.json",
  "turbo.json",
  "nx.json",
  "lerna.json",
  ".env*",
  ".eslintcache",
  "*.tsbuildinfo",
  ".gitlab-ci.yml",
  "azure-pipelines.yml",
  "Jenkinsfile",
  // What agents are told.
  "AGENTS.md",
  "CLAUDE.md",
  "GEMINI.md",
  ".gitmodules",
];

/** Files that say what gets installed. */
export const DEPENDENCY_FILES: readonly string[] = inAnyFolder([...DEPENDENCIES, "patches/*"]);

/** The controls of every check, and those that its author adds. A folder's name may as well be that of a link. */
export function protectedFiles(more: readonly string[] = []): string[] {
  const folders = FOLDERS.flatMap((name) => [name, `${name}/**`]);
  return [...inAnyFolder([...folders, ...FILES]), ...more.map(pathspec)];
}

/** Git's words for a glob from the root. */
export function pathspec(glob: string): string {
  return `:(top,glob,icase)${glob}`;
}

function inAnyFolder(globs: readonly string[]): string[] {
  return globs.map((glob) => pathspec(`**/${glob}`));
}
