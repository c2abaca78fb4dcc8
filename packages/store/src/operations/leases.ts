/** Who owns a thread. Each change is one UPDATE that carries all its conditions, so that check and change cannot be
 *  separated; the reason for a refusal is looked up only when it changed nothing. */
import {
  canMove,
  type Full,
  type Lease,
  type LeaseRef,
  type Renewed,
  THREAD_STATUSES,
  type ThreadStore,
  WorkflowError,
} from "@uncaged/workflow-protocol";
import { quoted } from "../database/sql-text.ts";
import { toAcquire, toWrite } from "../threads/refusals.ts";
import { limitReached } from "../threads/room.ts";
import { NO_LEASE, OWNED } from "./lease-columns.ts";
import { handOverMembers, keepAsked, waitsBefore } from "./member-asks.ts";
import { recordNotices } from "./notices.ts";
import {
  all,
  change,
  changing,
  type Deed,
  type Operation,
  one,
  owning,
  timed,
} from "./operation.ts";
import { queueThread } from "./queue.ts";
import { QUEUED, storedPlace } from "./queue-places.ts";
import { refused } from "./refused.ts";
import { fullForLease } from "./room.ts";
import { integerOf, type NamedRow } from "./thread-columns.ts";
import { getThread } from "./thread-queries.ts";
import {
  NO_SUSPENSION,
  SIGNAL_COLUMNS,
  SUSPENSION,
  signalsOf,
  storedWaits,
} from "./thread-rows.ts";

const STARTABLE = quoted(THREAD_STATUSES.filter((status) => canMove(status, "running")));

type Acquisition = Parameters<ThreadStore["acquire"]>[0];

export function acquireLease(asked: Acquisition): Deed<Lease | Full> {
  const { threadId, process: owner, ttlMs, replaces } = asked;
  return changing(`take over thread ${threadId}`, function* (): Operation<Lease | Full> {
    const request = yield* timed(asked);
    const { nowMs } = request;
    const full = request.room === undefined ? null : yield* fullForLease(request);
    if (full !== null) return yield* refuseRoom(request, full);
    const before = request.room === undefined ? [] : yield* waitsBefore(threadId);
    const expiresAt = nowMs + ttlMs;
    const values = {
      threadId,
      nowMs,
      replaces,
      expiresAt,
      pid: owner.pid,
      processStartedAt: owner.startedAt,
      bootId: owner.bootId,
      room: request.room === undefined ? null : "held",
      worker: request.room === undefined ? null : (request.worker ?? null),
    };
    const row = yield* one(ACQUIRE, values);
    if (row === undefined) {
      throw refused(toAcquire(yield* getThread(threadId), request), threadId);
    }
    const fence = integerOf(row, "fence");
    yield* keepAsked({ threadId, fence }, before);
    return { threadId, fence, process: owner, acquiredAt: nowMs, heartbeatAt: nowMs, expiresAt };
  });
}

/** Throws `LIMIT_REACHED`: once the transaction is done, which may have queued the thread. */
export function granted(threadId: string, taken: Lease | Full): Lease {
  if ("full" in taken) throw new WorkflowError(limitReached(threadId, taken.full));
  return taken;
}

/** Queues the thread, if requested and it waits for nobody. Part of the caller's transaction. */
function* refuseRoom(request: Acquisition, found: Full): Operation<Full> {
  const { threadId, replaces, nowMs, room } = request;
  const allowed = toAcquire(yield* getThread(threadId), request);
  if (!allowed.ok) throw refused(allowed, threadId);
  if (room === "or queue" && allowed.value.status !== "suspended")
    yield* queueThread({ threadId, replaces, for: found.full, notBefore: found.againAt, nowMs });
  return found;
}

type Renewal = Parameters<ThreadStore["renew"]>[0];

/** One statement, however many leases. */
export function renewLeases(request: Renewal): Deed<Renewed[]> {
  const { leases, ttlMs } = request;
  return owning(`renew ${leases.length} leases`, function* () {
    const { nowMs } = yield* timed(request);
    const at = { nowMs, expiresAt: nowMs + ttlMs };
    const owners = leases.map(({ threadId, fence }) => ({ threadId, fence }));
    const [only] = owners;
    const rows =
      only !== undefined && owners.length === 1
        ? yield* all(RENEW_ONE, { ...at, ...only })
        : yield* all(RENEW, { ...at, owners: JSON.stringify(owners) });
    const renewed = new Map(rows.map((row) => [keyOf(row), signalsOf(row)]));
    return leases.map((lease) => renewed.get(keyOf(lease)) ?? "lost");
  });
}

function keyOf({ threadId, fence }: NamedRow | LeaseRef): string {
  return `${threadId} ${fence}`;
}

type Release = Parameters<ThreadStore["release"]>[0];

/** False when the owner meant to stop at the gate and found it open, or to wait for somebody who has answered. */
export function releaseLease(release: Release): Deed<boolean> {
  const { threadId, fence, nowMs, to } = release;
  const waits = to.status === "suspended" ? to.waits : [];
  const place = to.status === "queued" ? to.queue : null;
  return changing(`release thread ${threadId}`, function* () {
    if (to.status === "suspended" && (yield* isOwned(release))) {
      if (!(yield* handOverMembers(threadId, waits))) return false;
    }
    const changes = yield* change(
      to.status === "paused" ? `${RELEASE} AND ${GATE_CLOSED}` : RELEASE,
      { threadId, fence, nowMs, to: to.status, ...storedWaits(waits), ...storedPlace(place) },
    );
    if (changes === 1) {
      if (to.status === "suspended") yield* recordNotices(threadId);
      return true;
    }
    const owned = toWrite(yield* getThread(threadId), release);
    if (to.status === "paused" && owned.ok) return false;
    throw refused(owned, threadId);
  });
}

function* isOwned(owner: Release): Operation<boolean> {
  return toWrite(yield* getThread(owner.threadId), owner).ok;
}

// A running thread can be taken over, too, once its lease has expired or its owner is known to be dead; for every other
// status there is no lease, and the table of transitions decides.
const ACQUIRE = `
  UPDATE threads SET
    status = 'running', fence = fence + 1,
    leasePid = :pid, leaseStartedAt = :processStartedAt, leaseBootId = :bootId,
    leaseAcquiredAt = :nowMs, leaseHeartbeatAt = :nowMs, leaseExpiresAt = :expiresAt,
    leaseWorker = :worker, room = :room, queuedFor = CASE WHEN :room IS NULL THEN NULL ELSE queuedFor END,
    queuedAt = NULL, notBefore = NULL, ${NO_SUSPENSION},
    stopSignalAt = NULL, updatedAt = :nowMs
  WHERE threadId = :threadId AND (
    status IN (${STARTABLE})
    OR status = 'running' AND (leaseExpiresAt <= :nowMs OR fence = :replaces))
  RETURNING fence`;

const renewal = (owned: string): string => `
  UPDATE threads SET leaseHeartbeatAt = :nowMs, leaseExpiresAt = :expiresAt
  WHERE ${owned}
  RETURNING threadId, fence, ${SIGNAL_COLUMNS}`;

// In SQLite, taking a list apart takes as long as the rest.
const RENEW_ONE = renewal(OWNED);
const RENEW = renewal(`status = 'running' AND (threadId, fence) IN (
    SELECT value ->> 'threadId', CAST(value ->> 'fence' AS BIGINT) FROM json_each(:owners))`);

const RELEASE = `
  UPDATE threads SET
    status = :to, ${SUSPENSION}, ${QUEUED}, updatedAt = :nowMs, ${NO_LEASE}
  WHERE ${OWNED}`;

const GATE_CLOSED = "pauseSignalAt IS NOT NULL";
