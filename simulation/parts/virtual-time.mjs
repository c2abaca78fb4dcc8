/** Time that passes only when nothing else is left to do: also in place of node:timers/promises for the client. */
let nowMs = 0;
let events = [];

export const now = () => nowMs;

/** Calls `act` after so many milliseconds. Returns what `cancel` takes. */
export function after(delayMs, act) {
  const event = { at: nowMs + Math.max(0, delayMs), act };
  // The latest comes first: the next one is taken from the end of a short list.
  let place = events.length;
  while (place > 0 && events[place - 1].at <= event.at) place -= 1;
  events.splice(place, 0, event);
  return event;
}

export function cancel(event) {
  const place = events.indexOf(event);
  if (place >= 0) events.splice(place, 1);
}

export const setTimeout = (ms, value) => new Promise((resolve) => after(ms, () => resolve(value)));

/** Plays what happens until `isOver`, or until that time. */
export async function pass(isOver, untilMs) {
  await settled();
  while (!isOver() && events.length > 0 && nowMs < untilMs) {
    const event = events.pop();
    nowMs = event.at;
    event.act();
    await settled();
  }
}

/** Everything that can happen at this instant has happened. */
function settled() {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}

export function begin() {
  events = [];
  nowMs = 0;
}

globalThis.setInterval = (act, everyMs) => {
  const timer = { next: null };
  const beat = () => {
    timer.next = after(everyMs, beat);
    act();
  };
  timer.next = after(everyMs, beat);
  return timer;
};
globalThis.clearInterval = (timer) => cancel(timer?.next);
performance.now = now;
