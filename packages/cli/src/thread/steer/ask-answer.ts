/** Asks for an answer field by field: choices as a list, yes or no, text. What may be left out may be left empty. */
import {
  type JsonObject,
  type JsonValue,
  type PersonWait,
  toJsonObject,
} from "@uncaged/workflow-protocol";
import type { FormQuestions } from "../../terminal/questions.ts";
import { readValue } from "./read-answer.ts";

/** null: the person cancelled. */
export async function askAnswer(
  questions: FormQuestions,
  { role, message, form }: Pick<PersonWait, "role" | "message" | "form">,
): Promise<JsonObject | null> {
  questions.say(`${role}: ${message}`);
  const required = Array.isArray(form.required) ? form.required : [];
  const answer: { [field: string]: JsonValue } = {};
  for (const [name, declared] of Object.entries(toJsonObject(form.properties) ?? {})) {
    const schema = toJsonObject(declared) ?? {};
    const value = await askField(questions, { name, schema, isNeeded: required.includes(name) });
    if (value === null) return null;
    if (value !== LEFT_OUT) answer[name] = value.value;
  }
  return answer;
}

type Field = { name: string; schema: JsonObject; isNeeded: boolean };

const LEFT_OUT = Symbol("left out");

async function askField(
  questions: FormQuestions,
  field: Field,
): Promise<{ value: JsonValue } | typeof LEFT_OUT | null> {
  const { name, schema, isNeeded } = field;
  const question =
    typeof schema.description === "string" ? `${name} (${schema.description})` : name;
  const choices = choicesOf(schema);
  if (choices !== null) {
    const listed = choices.map((value, at) => ({ value: String(at), label: shown(value) }));
    const leftOut = isNeeded ? [] : [{ value: "", label: "leave it out" }];
    const chosen = await questions.choose(question, [...listed, ...leftOut]);
    if (chosen === null) return null;
    const value = chosen === "" ? undefined : choices[Number(chosen)];
    return value === undefined ? LEFT_OUT : { value };
  }
  const text = await questions.longText(question, {
    suggestion: typeof schema.default === "string" ? schema.default : "",
    check: (answer) => (isNeeded && answer === "" ? "an answer is needed" : null),
  });
  if (text === null) return null;
  return text === "" ? LEFT_OUT : { value: readValue(schema, text) };
}

function choicesOf({ type, enum: choices }: JsonObject): readonly JsonValue[] | null {
  if (Array.isArray(choices)) return choices;
  return type === "boolean" ? [true, false] : null;
}

function shown(value: JsonValue): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}
