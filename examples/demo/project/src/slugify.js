/** Turns a title into the last part of a URL: lower-case words with one hyphen between them. */
export function slugify(title) {
  return title.toLowerCase().replace(/[^a-z0-9]/g, "-");
}
