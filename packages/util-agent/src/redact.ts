import { type Environment, looksSecret } from "./cli-environment.ts";
import { withoutSecretShapes } from "./secret-shapes.ts";

/** Shorter values are words that stand in any text. */
const MIN_SECRET_CHARS = 8;

/** Gives a function that takes the values of secret variables of `env` out of a text, so that a program that
 *  prints what it was given puts no secret into the record; and whatever else looks like a secret. */
export function redactor(env: Environment): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value.length >= MIN_SECRET_CHARS && looksSecret(name)
      ? [{ name, value }]
      : [],
  );
  // The longest first: a secret may be part of another.
  secrets.sort((a, b) => b.value.length - a.value.length);
  return (text) =>
    withoutSecretShapes(
      secrets.reduce((rest, { name, value }) => rest.replaceAll(value, `[${name}]`), text),
    );
}
