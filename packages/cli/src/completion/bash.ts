import type { Place } from "./model.ts";
import { kindWord, valueCases } from "./shell-words.ts";

/** A completion script for bash 3.2 and later. */
export function bashCompletion(places: readonly Place[], programs: readonly string[]): string {
  const [program = ""] = programs;
  return `# Completion of ${programs.join(" and ")} for bash. To load it in every shell:
#   echo 'eval "$(${program} completion bash)"' >> ~/.bashrc

# What may follow a place: its commands, its options, the kinds of its arguments.
_uncaged_workflow_place() {
  commands='' options='' arguments='' repeats=''
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

# Lines as they are: no splitting, no patterns.
_uncaged_workflow_offer() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}

# Ids of threads. Where they are only shown, what each thread is stands behind its id: what is shown is never put
# on the command line then, but what all have in common.
_uncaged_workflow_threads() {
  local line shown=''
  local -a found=()
  case "\${COMP_TYPE-}" in 33 | 63 | 64) shown=yes ;; esac
  while IFS= read -r line; do
    [[ "$line" == "$1"* ]] && found+=("$line")
  done < <("\${COMP_WORDS[0]}" completion --list threads \${shown:+--described} 2> /dev/null)
  ((\${#found[@]} > 1)) || found=("\${found[@]/%$'\t'*/}")
  [[ -z "\${found[0]-}" ]] || COMPREPLY=("\${found[@]//$'\t'/  }")
}

_uncaged_workflow() {
  local path='' commands='' options='' arguments='' repeats='' kind='' word at place=0
  local current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  _uncaged_workflow_place ''
  for ((at = 1; at < COMP_CWORD; at++)); do
    word="\${COMP_WORDS[at]}"
    if [[ -n "$kind" ]]; then
      # bash splits --option=value into three words.
      [[ "$word" == '=' ]] || kind=''
    elif [[ "$word" == -?* ]]; then
      _uncaged_workflow_value "\${path:+$path }$word"
    elif [[ " $commands " == *" $word "* ]]; then
      path="\${path:+$path }$word"
      _uncaged_workflow_place "$path"
    else
      place=$((place + 1))
    fi
  done
  [[ "$current" == '=' ]] && current=''
  if [[ -z "$kind" && "$current" == -* ]]; then
    _uncaged_workflow_offer < <(compgen -W "$options" -- "$current")
    return
  fi
  if [[ -z "$kind" && -n "$commands" ]]; then
    ((place > 0)) || _uncaged_workflow_offer < <(compgen -W "$commands" -- "$current")
    return
  fi
  if [[ -z "$kind" ]]; then
    set -- $arguments
    # Where the last argument repeats, what comes later is the same.
    [[ -z "$repeats" ]] || ((place < $#)) || place=$(($# - 1))
    shift "$place" 2> /dev/null || return
    kind="\${1-}"
  fi
  case "$kind" in
    threads) _uncaged_workflow_threads "$current" ;;
    workflows | schedules | triggers)
      word="$("\${COMP_WORDS[0]}" completion --list "$kind" 2> /dev/null)"
      _uncaged_workflow_offer < <(compgen -W "$word" -- "$current")
      ;;
    files)
      compopt -o filenames 2> /dev/null
      _uncaged_workflow_offer < <(compgen -f -- "$current")
      ;;
    =*)
      word="\${kind#=}"
      _uncaged_workflow_offer < <(compgen -W "\${word//,/ }" -- "$current")
      ;;
  esac
}

complete -F _uncaged_workflow ${programs.join(" ")}
`;
}

function placeCase({ path, subcommands, options, arguments: kinds, repeats }: Place): string {
  const commands = subcommands.map(({ name }) => name).join(" ");
  const flags = options
    .flatMap(({ short, long }) => (short === null ? [long] : [short, long]))
    .join(" ");
  return `    '${path.join(" ")}') commands='${commands}' options='${flags}' arguments='${kinds.map(kindWord).join(" ")}'${repeats ? " repeats=yes" : ""} ;;`;
}
