import type { Place } from "./model.ts";
import { kindWord, valueCases } from "./shell-words.ts";

/** A completion script for zsh: to be sourced, or placed in `$fpath` as `_uncaged-workflow`. */
export function zshCompletion(places: readonly Place[], programs: readonly string[]): string {
  const [program = ""] = programs;
  return `#compdef ${programs.join(" ")}
# Completion of ${programs.join(" and ")} for zsh. To load it in every shell, after compinit:
#   echo 'eval "$(${program} completion zsh)"' >> ~/.zshrc

# What may follow a place: its commands, its options, the kinds of its arguments.
_uncaged_workflow_place() {
  subcommands=() flags=() kinds=() repeats=''
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
  local where='' kind='' repeats='' word
  local -a subcommands flags kinds offered
  local -i at place=0
  _uncaged_workflow_place ''
  for ((at = 2; at < CURRENT; at++)); do
    word="\${words[at]}"
    if [[ -n "$kind" ]]; then
      kind=''
    elif [[ "$word" == -?* ]]; then
      _uncaged_workflow_value "\${where:+$where }$word"
    elif (( \${subcommands[(I)$word:*]} )); then
      where="\${where:+$where }$word"
      _uncaged_workflow_place "$where"
    else
      place=$((place + 1))
    fi
  done
  if [[ -z "$kind" && "\${words[CURRENT]}" == -* ]]; then
    _describe -o option flags
  elif [[ -z "$kind" && \${#subcommands} -gt 0 ]]; then
    ((place > 0)) || _describe command subcommands
  else
    # Where the last argument repeats, what comes later is the same.
    [[ -z "$repeats" ]] || ((place < \${#kinds})) || place=$((\${#kinds} - 1))
    [[ -n "$kind" ]] || kind="\${kinds[place + 1]}"
    case "$kind" in
      threads)
        offered=(\${(f)"$("\${words[1]}" completion --list threads --described 2> /dev/null)"})
        offered=("\${offered[@]/$'\t'/:}")
        _describe -V thread offered
        ;;
      workflows | schedules | triggers)
        compadd -- \${(f)"$("\${words[1]}" completion --list "$kind" 2> /dev/null)"}
        ;;
      files) _files ;;
      '='*) compadd -- \${(s:,:)\${kind#=}} ;;
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

function placeCase({ path, subcommands, options, arguments: kinds, repeats }: Place): string {
  const commands = subcommands.map(({ name, description }) => described(name, description));
  const flags = options.flatMap(({ short, long, description }) =>
    short === null
      ? [described(long, description)]
      : [described(short, description), described(long, description)],
  );
  return [
    `    '${path.join(" ")}')`,
    `      subcommands=(${commands.join(" ")})`,
    `      flags=(${flags.join(" ")})`,
    `      kinds=(${kinds.map((kind) => `'${kindWord(kind)}'`).join(" ")})${repeats ? " repeats=yes" : ""} ;;`,
  ].join("\n");
}

/** `name:description`, quoted; a colon in the name would end it. */
function described(name: string, description: string): string {
  return `'${name.replaceAll(":", "\\:")}:${description.replaceAll("'", "'\\''")}'`;
}
