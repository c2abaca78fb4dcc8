/** Runs the cases of a class, a few side by side, and counts. */

/** `cases(lab)` returns `{ name, run }` one after the other, maybe asynchronously; `run` throws when what must
 *  hold does not, and may give `{ hit: false }` when the fault was not met, and `{ tookMs }`, how long it took to go
 *  on. `lab` has what a class needs to make its cases. */
export async function runCases({ name, title, cases }, { folder, thorough, bundles, only, jobs }) {
  const startedAt = Date.now();
  const lab = {
    folder,
    bundles,
    thorough,
    some: (list, count) => (thorough ? list : spread(list, count)),
  };
  const fallen = [];
  let ran = 0;
  let missed = 0;
  const goneOnMs = [];
  const queue = cases(lab)[Symbol.asyncIterator]();
  const worker = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      if (!next.value.name.includes(only)) continue;
      const { hit, why, tookMs } = await outcome(next.value);
      ran += 1;
      if (tookMs !== null) goneOnMs.push(Math.round(tookMs));
      if (!hit) missed += 1;
      if (why !== null) fallen.push({ name: next.value.name, why });
    }
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  const tookMs = Date.now() - startedAt;
  goneOnMs.sort((a, b) => a - b);
  return { name, title, ran, missed, short: fallen.length, tookMs, goneOnMs, fallen };
}

async function outcome({ run }) {
  try {
    const result = await run();
    return { hit: result?.hit ?? true, why: null, tookMs: result?.tookMs ?? null };
  } catch (thrown) {
    const why = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return { hit: true, why, tookMs: null };
  }
}

/** So many of a list, evenly spread, the first and the last among them. */
function spread(list, count) {
  if (list.length <= count) return list;
  const step = (list.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => list[Math.round(index * step)]);
}
