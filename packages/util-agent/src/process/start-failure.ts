import { stat } from "node:fs/promises";
import { type Failure, failure } from "@uncaged/workflow-protocol";

/** Why a program certainly cannot be started; null when it is worth trying. */
export async function cannotStart(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<Failure | null> {
  const nul = [command, ...args].findIndex((word) => word.includes("\0"));
  if (nul !== -1) {
    const what = nul === 0 ? "the command" : `argument ${nul} of ${command}`;
    return failure("AGENT_FAILED", `${what} holds a NUL`, "pass such text by stdin or by a file");
  }
  const folder = await stat(cwd).catch(() => null);
  if (folder?.isDirectory()) return null;
  return failure(
    "AGENT_FAILED",
    `cannot start ${command} in ${cwd}: ${folder === null ? "there is no such directory" : "it is not a directory"}`,
    "check the location of the route, or the directory that the thread was started in",
  );
}

/** Explains the system's refusal to start a program. Arguments are not quoted: they may be long or private. */
export function startFailure(
  command: string,
  reason: { code: string | undefined; message: string },
  installHint: string | undefined,
): Failure {
  const [message, hint] = explain(command, reason);
  return failure("AGENT_FAILED", `cannot start ${command}: ${message}`, installHint ?? hint);
}

function explain(
  command: string,
  reason: { code: string | undefined; message: string },
): [message: string, hint: string] {
  switch (reason.code) {
    case "ENOENT":
      return command.includes("/")
        ? ["there is no such program, or its #! line names none", "check the path"]
        : ["no program of that name on PATH", `install ${command}, or name it by its full path`];
    case "EACCES":
      return ["it is not an executable file", "make it executable (chmod +x), or check the path"];
    case "E2BIG":
      return ["its arguments are too long", "pass long text by stdin or by a file"];
    case "EAGAIN":
    case "EMFILE":
    case "ENFILE":
    case "ENOMEM":
      return [
        `the system cannot start another process (${reason.code})`,
        "end some processes, or raise the limit (ulimit -u, ulimit -n), and try again",
      ];
    default:
      return [reason.message, ""];
  }
}
