import { isBuiltin } from "node:module";
import { err, type Failure, failure, ok, type Result } from "@uncaged/workflow-protocol";
import { init, parse } from "es-module-lexer";
import { EXTERNAL_SCOPE, packageName } from "./external-name.ts";

/** The external packages that a bundle imports, sorted, read from its text. `BUNDLE_INVALID` when it needs anything
 *  else that is not built into Node: a bundle is self-contained. */
export async function listExternals(
  code: string,
  place: string,
): Promise<Result<string[], Failure>> {
  await init;
  const found = importsOf(code);
  if (!found.ok)
    return err(invalid(place, `cannot be read as a JavaScript module: ${found.error}`));
  const externals = new Set<string>();
  for (const { specifier, optional } of found.value) {
    if (specifier.startsWith(EXTERNAL_SCOPE)) externals.add(packageName(specifier));
    else if (!optional && !isBuiltin(specifier))
      return err(invalid(place, `imports ${JSON.stringify(specifier)}`));
  }
  return ok([...externals].sort());
}

/** `optional`: in an `import()` expression, which libraries also use to try for something that may not be installed. */
type FoundImport = { specifier: string; optional: boolean };

function importsOf(code: string): Result<FoundImport[], string> {
  try {
    const [imports] = parse(code);
    return ok(
      imports.flatMap((found) => {
        if (found.type === "import-meta" || found.specifier === undefined) return [];
        return [{ specifier: found.specifier, optional: found.type === "dynamic" }];
      }),
    );
  } catch (cause) {
    return err(cause instanceof Error ? cause.message : String(cause));
  }
}

function invalid(place: string, problem: string): Failure {
  return failure(
    "BUNDLE_INVALID",
    `${place} ${problem}`,
    "a bundle contains everything it needs except @uncaged packages; build it with: uncaged-workflow workflow build <entry>",
  );
}
