/** Has the engine of a step carry out a command, because the storage root is covered in its sandbox. */
import { connect } from "node:net";
import { linesOf } from "@uncaged/workflow-execute";
import {
  err,
  type Failure,
  ok,
  parseJson,
  type Result,
  STEP_STORE_REQUEST_BYTES,
  type StepCommand,
  type StepCommandPiece,
  type StepStoreAddress,
  type StepStoreMessage,
} from "@uncaged/workflow-protocol";
import { z } from "zod";
import { refusal, tooLong, unreachable } from "./ask-step-store.ts";
import type { Io } from "./io.ts";

const piece: z.ZodType<StepCommandPiece> = z.object({
  to: z.enum(["stdout", "stderr"]),
  text: z.string(),
});

const ended = z.object({ ok: z.literal(true), exitCode: z.int() });

/** Shows what the command writes. Returns its exit code. Killed, it takes the command with it. */
export async function askErrand(
  { socket, pass }: StepStoreAddress,
  command: StepCommand,
  io: Pick<Io, "stdout" | "stderr">,
): Promise<Result<number, Failure>> {
  const message: StepStoreMessage = { call: "command", ...command, pass };
  const sent = `${JSON.stringify(message)}\n`;
  if (Buffer.byteLength(sent) > STEP_STORE_REQUEST_BYTES) return err(tooLong());
  // Our end stays open until the command has ended: closed, it would say that nobody listens.
  const connection = connect({ path: socket, allowHalfOpen: true });
  try {
    connection.write(sent);
    for await (const line of linesOf(connection)) {
      const given = parseJson(line);
      const said = piece.safeParse(given);
      if (said.success) {
        await io[said.data.to].write(said.data.text);
        continue;
      }
      const refused = refusal.safeParse(given);
      if (refused.success) return err(refused.data.error);
      const answer = ended.safeParse(given);
      return answer.success ? ok(answer.data.exitCode) : err(unreachable("it gave no answer"));
    }
    return err(unreachable("the step has ended"));
  } catch (cause) {
    return err(unreachable(cause instanceof Error ? cause.message : String(cause)));
  } finally {
    connection.destroy();
  }
}
