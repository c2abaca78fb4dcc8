/** The process of the command line, and the only place that ends it. */
import { processIo } from "./process-io.ts";
import { quietSqlite } from "./quiet-sqlite.ts";
import { runCli } from "./run-cli.ts";

quietSqlite();
const exit = (code: number): never => process.exit(code);

// Does not wait for open handles: a forgotten one must not keep a finished command alive.
exit(await runCli(process.argv.slice(2), processIo({ exit })));
