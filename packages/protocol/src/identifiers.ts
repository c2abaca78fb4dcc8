/** A hash: XXH64 (seed 0) as 13 characters of Crockford base32. They could hold 65 bits, so the first is 0–F. */
export const HASH_PATTERN: RegExp = /^[0-9A-F][0-9A-HJKMNP-TV-Z]{12}$/;
/** A thread id: a ULID. 26 characters could hold 130 bits, so the first is 0–7. */
export const THREAD_ID_PATTERN: RegExp = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
/** Name of a registered workflow: lower-case words, also safe as a folder name, a branch name and an option. */
export const WORKFLOW_NAME_PATTERN: RegExp = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
/** Name of a role. In JSONata, `byRole.<role>` needs no quotes, but a name with a hyphen needs backticks. */
export const ROLE_NAME_PATTERN: RegExp = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
/** Key of a label: `team`, `keep`, `app.example/tier`. */
export const LABEL_KEY_PATTERN: RegExp = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,62}$/;
/** Value of a label: one line, or nothing. */
export const LABEL_VALUE_PATTERN: RegExp = /^[^\p{Cc}\p{Cs}]{0,256}$/u;
/** Title of a thread: one line. */
export const TITLE_PATTERN: RegExp = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

export function isHash(text: string): boolean {
  return HASH_PATTERN.test(text);
}

export function isThreadId(text: string): boolean {
  return THREAD_ID_PATTERN.test(text);
}
