/** Lengths and moments as short words. Milliseconds in. */

export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "0 s";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(Math.floor(seconds % 60)).padStart(2, "0")} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, "0")} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long ago; moments to come are "in …". */
export function ago(atMs: number, nowMs: number): string {
  const past = nowMs - atMs;
  const size = Math.abs(past);
  if (size < 5_000) return "now";
  const words =
    size < 60_000
      ? `${Math.round(size / 1_000)} s`
      : size < 3_600_000
        ? `${Math.floor(size / 60_000)} min`
        : size < 172_800_000
          ? `${Math.floor(size / 3_600_000)} h`
          : `${Math.floor(size / 86_400_000)} d`;
  return past >= 0 ? `${words} ago` : `in ${words}`;
}

/** The local date and time, to the second. */
export function moment(atMs: number): string {
  const date = new Date(atMs);
  if (Number.isNaN(date.getTime())) return "?";
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function money(usd: number): string {
  if (usd === 0) return "$0";
  return `$${usd < 0.01 ? usd.toPrecision(2) : usd.toFixed(2)}`;
}

export function count(n: number): string {
  if (n < 10_000) return String(n);
  return n < 1_000_000
    ? `${(n / 1_000).toFixed(n < 100_000 ? 1 : 0)} k`
    : `${(n / 1e6).toFixed(1)} M`;
}
