/** Secrets that nobody told us about, recognized by their shape, because a tool may print a file that contains some.
 *  The text is untrusted, so each pattern looks a bounded way ahead, and begins only where a word does. None crosses
 *  a line. */
type Shape = {
  /** Every match contains one of these: searching for them is many times as fast as the pattern. */
  holds: readonly string[];
  find: RegExp;
  instead: string | ((...parts: string[]) => string);
};

/** Not a value: a variable, a placeholder, a word of a program. */
const NO_VALUE = String.raw`(?!["']?(?:[$<{[*(]|process\.|import\.|os\.|env[.(\[]|undefined|null\b|true\b|false\b))`;
const SECRET_WORD =
  "password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential";

const SHAPES: readonly Shape[] = [
  // Keys of the big services; the prefix identifies them.
  {
    holds: [
      "sk-",
      "k_live_",
      "k_test_",
      "whsec_",
      "ghp_",
      "gho_",
      "ghs_",
      "ghu_",
      "ghr_",
      "github_pat_",
      "glpat-",
      "gldt-",
      "glrt-",
      "glptt-",
      "npm_",
      "pypi-",
      "hf_",
      "xox",
      "xapp-",
      "AIza",
      "AKIA",
      "ASIA",
      "ya29.",
      "SG.",
      "dop_v1_",
      "shpat_",
      "shpss_",
      "shpca_",
      "shppa_",
      "hvs.",
      "hvb.",
      "dckr_pat_",
      "lin_api_",
      "gsk_",
      "xai-",
      "r8_",
      "AGE-SECRET",
    ],
    find: /(?<![A-Za-z\d])(sk-|[sr]k_(?:live|test)_|whsec_|gh[opsur]_|github_pat_|gl(?:pat|dt|rt|ptt)-|npm_|pypi-|hf_|xox[abeoprs]-|xapp-|AIza|AKIA|ASIA|ya29\.|SG\.|dop_v1_|shp(?:at|ss|ca|pa)_|hv[sb]\.|dckr_pat_|lin_api_|gsk_|xai-|r8_|AGE-SECRET-KEY-1)[\w-]{16,4096}(?:\.[\w-]{8,4096})?/g,
    instead: "$1[secret]",
  },
  // JSON Web Tokens.
  {
    holds: ["eyJ"],
    find: /(?<![\w.-])eyJ[\w-]{8,4096}\.[\w-]{8,16384}\.[\w-]{8,4096}/g,
    instead: "[secret]",
  },
  // Headers.
  {
    holds: ["uthorization", "UTHORIZATION"],
    find: /(?<![\w+/=.~:-])((?:proxy-|x-)?authorization["'\\]{0,3}[ \t]{0,4}[:=][ \t]{0,4}["'\\]{0,3}(?:(?:bearer|basic|token|digest|apikey)[ \t]{1,4})?)(?![$<{[*])[\w+/=.~:-]{8,8192}(?![\w+/=.~:[-])/gi,
    instead: "$1[secret]",
  },
  {
    holds: ["Bearer"],
    find: /\b(Bearer[ \t]{1,4})[\w+/=.~-]{20,8192}(?![\w+/=.~[-])/g,
    instead: "$1[secret]",
  },
  // Passwords in URLs.
  {
    holds: ["://"],
    find: /(?<![A-Za-z\d+.-])([A-Za-z][A-Za-z\d+.-]{1,30}:\/\/[^\s:@/"'<>]{0,128}:)(?![$<{[*])[^\s@/"'<>]{1,512}@/g,
    instead: "$1[secret]@",
  },
  // `.env` files, what `env` prints, and commands that set variables.
  {
    holds: ["="],
    find: new RegExp(
      String.raw`(?<![A-Za-z\d_$.])([A-Z\d_]{0,64}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|_PASS|_PWD|CREDENTIALS?)=)${NO_VALUE}(?:"(?:[^"\\\n]|\\.){6,4096}"|'[^'\n]{6,4096}'|[^\s"'\`;&|<>()]{6,4096})`,
      "g",
    ),
    instead: "$1[secret]",
  },
  // The same in JSON, YAML and programs, where a value that could be a word is left alone.
  {
    holds: ["'", '"'],
    find: new RegExp(
      String.raw`(?<![\w.-])([\w.-]{0,64}?(?:${SECRET_WORD})[\w-]{0,16}(?:\\?["'])?[ \t]{0,4}[:=][ \t]{0,4}\\?["'])([^\s"'\\]{12,4096})(?=\\?["'])`,
      "gi",
    ),
    instead: (all, before = "", value = "") => (isRandom(value) ? `${before}[secret]` : all),
  },
  {
    holds: ["-"],
    find: new RegExp(
      String.raw`(?<![\w-])(--?(?:${SECRET_WORD}|auth)(?:=|[ \t]{1,4})["']?)([^\s"'\\]{8,4096})`,
      "gi",
    ),
    instead: (all, before = "", value = "") => (isRandom(value) ? `${before}[secret]` : all),
  },
];

/** Letters and digits together, but not a path or location in a program. */
function isRandom(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value) && !/^[$<{[*(]|^process\.|\(/.test(value);
}

/** The shortest text that contains one; most lines of a flood are shorter, and matching costs more than reading
 *  them. */
const LEAST_CHARS = "KEY=123456".length;

export function withoutSecretShapes(text: string): string {
  if (text.length < LEAST_CHARS) return text;
  return SHAPES.reduce(
    (rest, shape) =>
      shape.holds.some((word) => rest.includes(word)) ? without(rest, shape) : rest,
    text,
  );
}

function without(text: string, { find, instead }: Shape): string {
  return typeof instead === "string" ? text.replace(find, instead) : text.replace(find, instead);
}

/** Position in an unfinished line from which it may be one of these shapes; the line's length when there is none. */
export function begunShape(line: string): number {
  // At most this much of a line is held back because of its shape.
  const tail = line.slice(-TAIL_CHARS);
  const at = tail.search(BEGUN);
  if (at === -1) return line.length;
  let start = line.length - tail.length + at;
  while (start > 0 && /[\w.-]/.test(line[start - 1] ?? "")) start--;
  return start;
}

const TAIL_CHARS = 8_192;

const BEGUN =
  /-{4,5} ?BEGIN |-{1,5}(?: ?B?E?G?I?N?)?$|(?:authorization|bearer|basic)\b|(?:key|token|secret|pass|pwd|credential|auth)[\w-]{0,16}(?:\\?["'])?[ \t]{0,4}(?:[:=]|$)|--?[\w-]{0,24}(?:key|token|secret|pass|pwd|auth)[\w-]{0,16}[ \t]|:\/\/[^\s@/]{0,640}$/i;
