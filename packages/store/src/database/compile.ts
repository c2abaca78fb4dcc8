import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

/** A statement whose values are named in its text: `:threadId`. */
export type Statement = {
  run(values?: Values): ReturnType<StatementSync["run"]>;
  get(values?: Values): ReturnType<StatementSync["get"]>;
  all(values?: Values): ReturnType<StatementSync["all"]>;
};

type Values = Readonly<Record<string, SQLInputValue>>;

/** Values are bound by position: SQLite would look up every name at every call, which takes longer than many a
 *  statement. The texts are ours: a colon always begins a name. */
export function compile(
  db: DatabaseSync,
  text: string,
  { rows }: { rows: "objects" | "arrays" },
): Statement {
  const names = Array.from(text.matchAll(NAME), ([, name = ""]) => name);
  const statement = db.prepare(text.replace(NAME, "?"));
  if (rows === "arrays") statement.setReturnArrays(true);
  return {
    run: (values) => statement.run(...inPlaces(names, values)),
    get: (values) => statement.get(...inPlaces(names, values)),
    all: (values) => statement.all(...inPlaces(names, values)),
  };
}

const NAME = /:([a-zA-Z]\w*)/g;

function inPlaces(names: readonly string[], values: Values = {}): SQLInputValue[] {
  return names.map((name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`a statement has no value for :${name}`);
    return value;
  });
}
