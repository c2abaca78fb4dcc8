/** A URL of a server as it may be shown. */
export function withoutPassword(text: string): string {
  const url = URL.parse(text);
  if (url === null) return "(not a URL)";
  if (url.password !== "") url.password = "***";
  if (url.searchParams.has("password")) url.searchParams.set("password", "***");
  return url.href;
}
