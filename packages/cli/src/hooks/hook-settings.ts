/** The hooks that we add to a settings file of Claude Code, as a change of its text.
 *
 *  1. Ours are recognized by their exact command. Nothing else is added, moved or removed; the order of keys,
 *     unknown keys and the indentation stay.
 *  2. Doing it twice has the effect of doing it once. Removing leaves no empty list or object that we added.
 *  3. They cannot break a session: whatever happens to the command, the hook succeeds (`|| true`), and it has a time
 *     limit. */
import {
  err,
  type Failure,
  failure,
  type JsonObject,
  type JsonValue,
  ok,
  parseJson,
  type Result,
  toJsonObject,
} from "@uncaged/workflow-protocol";

/** Event → the command that it runs. */
const OURS: Readonly<Record<string, string>> = {
  SessionStart: "uncaged-workflow hooks context 2>/dev/null || true",
  PreCompact: "uncaged-workflow hooks context 2>/dev/null || true",
  PostToolUse: "uncaged-workflow hooks record >/dev/null 2>&1 || true",
  PostToolUseFailure: "uncaged-workflow hooks record >/dev/null 2>&1 || true",
};

const TIMEOUT_S = 10;

/** The new text; the same text when all hooks are already there. Fails with `CONFIG_INVALID`. */
export function withHooks(text: string, file: string): Result<string, Failure> {
  return edited(text, file, (hooks) => {
    const missing = Object.entries(OURS).filter(
      ([event, command]) => !hooks.of(event).some((group) => hasCommand(group, command)),
    );
    const added = missing.map(([event, command]) => [
      event,
      [...hooks.of(event), ourGroup(command)],
    ]);
    return { ...hooks.all, ...Object.fromEntries(added) };
  });
}

/** The text without our hooks; the same text when there are none. Fails with `CONFIG_INVALID`. */
export function withoutHooks(text: string, file: string): Result<string, Failure> {
  return edited(text, file, (hooks) => {
    const events = Object.entries(hooks.all).flatMap(([event, groups]): [string, JsonValue][] => {
      const command = OURS[event];
      if (command === undefined) return [[event, groups]];
      const before = hooks.of(event);
      const left = before.flatMap((group) => withoutCommand(group, command));
      return left.length === 0 && before.length > 0 ? [] : [[event, left]];
    });
    return Object.fromEntries(events);
  });
}

type Hooks = { all: JsonObject; of(event: string): readonly JsonValue[] };

function edited(
  text: string,
  file: string,
  change: (hooks: Hooks) => JsonObject,
): Result<string, Failure> {
  const settings = parsed(text);
  if (settings === null) return err(invalid(file, "it is not a JSON object"));
  const all = Object.hasOwn(settings, "hooks") ? asObject(settings.hooks) : {};
  if (all === null) return err(invalid(file, "its `hooks` is not an object"));
  const odd = Object.keys(OURS).find((event) => Object.hasOwn(all, event) && !isList(all[event]));
  if (odd !== undefined) return err(invalid(file, `its \`hooks.${odd}\` is not a list`));
  const of = (event: string): readonly JsonValue[] => {
    const groups = all[event];
    return isList(groups) ? groups : [];
  };
  const hooks = change({ all, of });
  if (JSON.stringify(hooks) === JSON.stringify(all)) return ok(text);
  const { hooks: _, ...rest } = settings;
  const changed = Object.keys(hooks).length === 0 ? rest : { ...settings, hooks };
  return ok(
    `${JSON.stringify(changed, null, indentOf(text))}${/\n$/.test(text) || text === "" ? "\n" : ""}`,
  );
}

/** An empty file is an empty object. */
function parsed(text: string): JsonObject | null {
  if (text.trim() === "") return {};
  return toJsonObject(parseJson(text));
}

/** From the first line that is indented. */
function indentOf(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function ourGroup(command: string): JsonObject {
  return { hooks: [{ type: "command", command, timeout: TIMEOUT_S }] };
}

function hasCommand(group: JsonValue, command: string): boolean {
  return hooksIn(group)?.some((hook) => asObject(hook)?.command === command) ?? false;
}

/** The group without our hook; nothing when that was all it had. */
function withoutCommand(group: JsonValue, command: string): JsonValue[] {
  const object = asObject(group);
  if (object === null || !hasCommand(group, command)) return [group];
  const hooks = hooksIn(group)?.filter((hook) => asObject(hook)?.command !== command) ?? [];
  return hooks.length === 0 ? [] : [{ ...object, hooks }];
}

function hooksIn(group: JsonValue): readonly JsonValue[] | null {
  const hooks = asObject(group)?.hooks;
  return isList(hooks) ? hooks : null;
}

function asObject(value: JsonValue | undefined): JsonObject | null {
  return typeof value === "object" && value !== null && !isList(value) ? value : null;
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function invalid(file: string, why: string): Failure {
  return failure(
    "CONFIG_INVALID",
    `${file} cannot be edited: ${why}`,
    "correct it by hand, or choose another with --file; nothing was changed",
  );
}
