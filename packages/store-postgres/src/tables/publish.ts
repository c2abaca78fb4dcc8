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

const digest = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 12);

/** Each version of this program has functions of its own, so that two versions work side by side. */
const NAME = `publish_${digest(`${PARAMETERS}${BODY}`)}`;

const ONE = `
CREATE OR REPLACE FUNCTION ${NAME} (p_names bigint[], p_bytes bytea[], ${PARAMETERS})
RETURNS TABLE (${SIGNALS}, hasBudget boolean) LANGUAGE plpgsql AS $publish$${BODY}$publish$;
`;

// Each step of several is undone by itself. One without a head has no signals, and so no row.
const MANY_BODY = `
DECLARE
  place integer;
  first integer := 1;
  next integer;
BEGIN
  FOR place IN 1 .. cardinality(p_counts) LOOP
    next := first + p_counts[place];
    BEGIN
      RETURN QUERY SELECT place, true, published.* FROM ${NAME} (
        p_names[first : next - 1], p_bytes[first : next - 1],
        ${PUBLISHED.map((name) => `p_${name}[place]`).join(", ")}) AS published;
    EXCEPTION WHEN SQLSTATE '${NOT_USUAL}' THEN
      RETURN QUERY SELECT place, false, NULL::bigint, NULL::bigint, NULL::bigint, NULL::boolean;
    END;
    first := next;
  END LOOP;
END`;

const LISTS = PUBLISHED.map((name) => `p_${name} ${typeOf(name)}[]`).join(", ");
const MANY_NAME = `publish_many_${digest(`${NAME}${LISTS}${MANY_BODY}`)}`;

const MANY = `
CREATE OR REPLACE FUNCTION ${MANY_NAME} (p_names bigint[], p_bytes bytea[], p_counts integer[], ${LISTS})
RETURNS TABLE (place_of integer, done boolean, ${SIGNALS}, hasBudget boolean)
LANGUAGE plpgsql AS $publish$${MANY_BODY}$publish$;
`;

export const PUBLISH_FUNCTIONS: string = `${ONE}${MANY}`;

/** The name under which the functions are recorded among the migrations. */
export const PUBLISH_MIGRATION: string = `function ${MANY_NAME}`;

const NEWS = `${SIGNAL_COLUMNS.replaceAll(/(\w+)/g, '$1 AS "$1"')}, hasBudget AS "hasBudget"`;

/** One step: the names and bytes of its blobs, and the values. */
export const PUBLISH: string = `
  SELECT ${NEWS} FROM ${NAME} ($1::bigint[], $2::bytea[],
    ${PUBLISHED.map((name, at) => `$${at + 3}::${typeOf(name)}`).join(", ")})`;

/** Several: all their blobs, how many each has, and lists of the values. A row per step that has a head; `done` is false
 *  for one that was left to the operation. */
export const PUBLISH_MANY: string = `
  SELECT place_of - 1 AS place, done, ${NEWS} FROM ${MANY_NAME} ($1::bigint[], $2::bytea[], $3::integer[],
    ${PUBLISHED.map((name, at) => `$${at + 4}::${typeOf(name)}[]`).join(", ")})`;
