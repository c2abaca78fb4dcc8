/** Node 22 prints on stderr that its SQLite is experimental, in every command that opens the index. We know, and
 *  with `--json` stderr contains nothing but a failure. All other warnings are shown as usual. */
export function quietSqlite(): void {
  const emitWarning: (warning: string | Error, ...more: never[]) => void = process.emitWarning;
  process.emitWarning = (warning: string | Error, ...more: never[]): void => {
    if (!isAboutSqlite(warning)) emitWarning.call(process, warning, ...more);
  };
}

function isAboutSqlite(warning: string | Error): boolean {
  return String(warning).startsWith("SQLite is an experimental feature");
}
