import type { Kind, OptionModel, Place } from "./model.ts";

/** A completion script for fish 3 and later. */
export function fishCompletion(places: readonly Place[], programs: readonly string[]): string {
  const [program = "", ...others] = programs;
  return `# Completion of ${programs.join(" and ")} for fish. To load it in every shell:
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish

# Whether the words so far (options aside) are these, and then as many more as "--more" allows.
function __uncaged_workflow_at
    argparse more -- $argv
    set -l words
    for token in (commandline -poc)[2..-1]
        string match -q -- '-*' $token; or set -a words $token
    end
    set -l length (count $argv)
    test (count $words) -ge $length; or return 1
    test -n "$_flag_more"; or test (count $words) -eq $length; or return 1
    test $length -eq 0; or test "$words[1..$length]" = "$argv"
end

function __uncaged_workflow_names
    set -l program (commandline -po)[1]
    $program completion --list $argv[1] --described 2>/dev/null
end

complete -c ${program} -f
${places.flatMap((place) => placeLines(place, program)).join("\n")}

${others.map((other) => `complete -c ${other} -w ${program}`).join("\n")}
`;
}

function placeLines(
  { path, subcommands, options, arguments: kinds }: Place,
  program: string,
): string[] {
  const isGroup = subcommands.length > 0;
  const at = `complete -c ${program} -n '__uncaged_workflow_at${isGroup ? "" : " --more"} ${path.join(" ")}'`;
  const offers = new Set(kinds.map(offer));
  return [
    ...subcommands.map(({ name, description }) => `${at} -a ${name} -d ${quoted(description)}`),
    ...[...offers].filter((given) => given !== "").map((given) => `${at} ${given}`),
    ...options.map((option) => `${at} ${optionWords(option)}`),
  ];
}

function optionWords({ short, long, description, value }: OptionModel): string {
  const names = `${short === null ? "" : `-s ${short.slice(1)} `}-l ${long.slice(2)}`;
  const offered = value === null ? "" : ` -r ${offer(value)}`.trimEnd();
  return `${names}${offered} -d ${quoted(description)}`;
}

function offer(kind: Kind): string {
  if (typeof kind === "object") return `-a ${quoted(kind.choices.join(" "))}`;
  if (kind === "files") return "-F";
  return kind === "any" ? "" : `-a '(__uncaged_workflow_names ${kind})'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
