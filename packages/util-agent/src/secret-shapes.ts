/** Secrets that nobody told us of, known by their looks: a tool may print a file that holds some. The text is
 *  data, so each pattern looks a bounded way ahead. */
const SHAPES: readonly [pattern: RegExp, instead: string][] = [
  // What the big services hand out; the prefix says what it is.
  [
    /\b(sk-|gh[opsur]_|github_pat_|glpat-|npm_|hf_|xox[abeoprs]-|AIza|AKIA|ASIA)[\w-]{16,256}/g,
    "$1[secret]",
  ],
  [/-----BEGIN ([A-Z ]{0,20}PRIVATE KEY)-----[^-]{1,8000}-----END \1-----/g, "[$1]"],
  // `.env` files, and what `env` prints.
  [
    /^((?:export )?[A-Z\d_]{0,64}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?)=)["']?[^\s"'[$]{8,4096}["']?$/gm,
    "$1[secret]",
  ],
];

/** The shortest text that holds one; most lines of a flood are shorter, and looking at each costs more than reading it. */
const LEAST_CHARS = "KEY=12345678".length;

export function withoutSecretShapes(text: string): string {
  if (text.length < LEAST_CHARS) return text;
  return SHAPES.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}
