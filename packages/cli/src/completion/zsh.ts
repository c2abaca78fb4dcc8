import type { Kind, Place } from "./model.ts";

/** A completion script for zsh: to be sourced, or put into `$fpath` as `_uncaged-workflow`. */
export function zshCompletion(places: readonly Place[], programs: readonly string[]): string {
  const [program = ""] = programs;
  return `#compdef ${programs.join(" ")}
# Completion of ${programs.join(" and ")} for zsh. To load it in every shell, after compinit:
#   echo 'source <(${program} completion zsh)' >> ~/.zshrc

# What may follow a place: its commands, its options, the kinds of its arguments.
_uncaged_workflow_place() {
  commands=() options=() kinds=()
  case "$1" in
${places.map(placeCase).join("\n")}
  esac
}

# The kind of an option's value; empty when it takes none.
_uncaged_workflow_value() {
  kind=''
  case "$1" in
${places.flatMap(valueCases).join("\n")}
  esac
}

_uncaged_workflow() {
  local where='' kind='' word
  local -a commands options kinds
  local -i at place=0
  _uncaged_workflow_place ''
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    if [[ -n "$kind" ]]; then
      kind=''
    elif [[ "$word" == -?* ]]; then
      _uncaged_workflow_value "\${where:+$where }$word"
    elif (( \${commands[(I)$word:*]} )); then
      where="\${where:+$where }$word"
      _uncaged_workflow_place "$where"
    else
      place=$((place + 1))
    fi
  done
  if [[ -z "$kind" && "\${words[CURRENT]}" == -* ]]; then
    _describe -o option options
  elif [[ -z "$kind" && \${#commands} -gt 0 ]]; then
    _describe command commands
  else
    [[ -n "$kind" ]] || kind="\${kinds[place + 1]}"
    case "$kind" in
      workflows | threads)
        compadd -- \${(f)"$("\${words[1]}" completion --list "$kind" 2> /dev/null)"}
        ;;
      files) _files ;;
      =*) compadd -- \${(s:,:)\${kind#=}} ;;
    esac
  fi
}

if [[ "\${funcstack[1]}" == _uncaged-workflow ]]; then
  _uncaged_workflow "$@"
else
  compdef _uncaged_workflow ${programs.join(" ")}
fi
`;
}

function placeCase({ path, subcommands, options, arguments: kinds }: Place): string {
  const commands = subcommands.map(({ name, description }) => described(name, description));
  const flags = options.flatMap(({ short, long, description }) =>
    short === null
      ? [described(long, description)]
      : [described(short, description), described(long, description)],
  );
  return [
    `    '${path.join(" ")}')`,
    `      commands=(${commands.join(" ")})`,
    `      options=(${flags.join(" ")})`,
    `      kinds=(${kinds.map((kind) => `'${word(kind)}'`).join(" ")}) ;;`,
  ].join("\n");
}

function valueCases({ path, options }: Place): string[] {
  return options.flatMap(({ short, long, value }) => {
    if (value === null) return [];
    const patterns = [short, long].flatMap((flag) =>
      flag === null ? [] : [`'${[...path, flag].join(" ")}'`],
    );
    return [`    ${patterns.join(" | ")}) kind='${word(value)}' ;;`];
  });
}

/** A kind as one word; choices as `=a,b`. */
function word(kind: Kind): string {
  return typeof kind === "string" ? kind : `=${kind.choices.join(",")}`;
}

/** `name:description`, quoted; a colon in the name would end it. */
function described(name: string, description: string): string {
  return `'${name.replaceAll(":", "\\:")}:${description.replaceAll("'", "'\\''")}'`;
}
