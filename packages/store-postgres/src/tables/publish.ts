/** A step in one statement: its blobs, the head that names them, and what it used. It is the statements of the operation,
 *  in a function of the server.
 *
 *  It does what usually happens and nothing else: a refusal, a step that was published before, and other bytes under a
 *  blob's name are left to the operation, which is carried out when this has changed nothing. */
import { createHash } from "node:crypto";
import { BOOKING, MOVES, NOTES, SIGNAL_COLUMNS } from "@uncaged/workflow-store/backend";
import { typeOf, withParameters } from "./dialect.ts";

/** What the function raises when it has changed nothing. */
export const NOT_USUAL = "UWF01";

/** The values of a move, and of what it used, in the order of the function. */
export const PUBLISHED = [
  "kind",
  "threadId",
  "fence",
  "from",
  "to",
  "toSha256",
  "nowMs",
  "bundleHash",
  "day",
  "role",
  "agent",
  "model",
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "costUsd",
  "estimated",
  "startMs",
  "tokens",
  "pieceMs",
  "oldMs",
  "requests",
] as const;

const statement = (text: string): string => `${withParameters(text, (name) => `p_${name}`)};`;

// What an agent with a limit by the minute used is counted by the minute; one that is named for another limit may be.
const BODY = `
#variable_conflict use_column
DECLARE done bigint;
BEGIN
  PERFORM pg_advisory_xact_lock_shared(hashtextextended(current_schema()::text, 0));
  INSERT INTO blobs (name, bytes) SELECT * FROM unnest(p_names, p_bytes) ON CONFLICT (name) DO NOTHING;
  GET DIAGNOSTICS done = ROW_COUNT;
  IF done < cardinality(p_names) AND EXISTS (
    SELECT 1 FROM unnest(p_names, p_bytes) AS given (named, meant) JOIN blobs ON name = named
    WHERE bytes <> meant OR id IN (SELECT id FROM asideBlobs))
  THEN RAISE SQLSTATE '${NOT_USUAL}'; END IF;
  IF p_kind IS NULL THEN RETURN; END IF;
  CASE p_kind
    ${Object.entries(MOVES)
      .map(([kind, text]) => `WHEN '${kind}' THEN ${statement(text)}`)
      .join("\n")}
  END CASE;
  GET DIAGNOSTICS done = ROW_COUNT;
  IF done <> 1 THEN RAISE SQLSTATE '${NOT_USUAL}'; END IF;
  IF p_day IS NOT NULL THEN
    ${BOOKING.map(statement).join("\n")}
    IF EXISTS (SELECT 1 FROM limits WHERE strpos(limits, to_json(p_agent)::text) > 0) THEN
      ${NOTES.map(statement).join("\n")}
    END IF;
  END IF;
  RETURN QUERY SELECT ${SIGNAL_COLUMNS},
    EXISTS (SELECT 1 FROM limits WHERE strpos(limits, '"budgetPerDay":{') > 0)
    FROM threads WHERE threadId = p_threadId;
END`;

const PARAMETERS = PUBLISHED.map((name) => `p_${name} ${typeOf(name)}`).join(", ");
const SIGNALS = SIGNAL_COLUMNS.split(", ")
  .map((name) => `${name} bigint`)
  .join(", ");

/** Each version of this program has a function of its own, so that two versions work side by side. */
const NAME = `publish_${createHash("sha256").update(`${PARAMETERS}${BODY}`).digest("hex").slice(0, 12)}`;

export const PUBLISH_FUNCTION: string = `
CREATE OR REPLACE FUNCTION ${NAME} (p_names bigint[], p_bytes bytea[], ${PARAMETERS})
RETURNS TABLE (${SIGNALS}, hasBudget boolean) LANGUAGE plpgsql AS $publish$${BODY}$publish$;
`;

/** The name under which the function is recorded among the migrations. */
export const PUBLISH_MIGRATION: string = `function ${NAME}`;

const PLACES = PUBLISHED.map((name, at) => `$${at + 3}::${typeOf(name)}`).join(", ");
export const PUBLISH: string = `
  SELECT ${SIGNAL_COLUMNS.replaceAll(/(\w+)/g, '$1 AS "$1"')}, hasBudget AS "hasBudget"
  FROM ${NAME} ($1::bigint[], $2::bytea[], ${PLACES})`;
