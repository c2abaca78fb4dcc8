/** Whether a JSON text contains more values than `most`, without parsing it: a value takes many times the memory of
 *  its text. What is inside strings does not count. */
export function holdsMoreValuesThan(most: number, json: string): boolean {
  let values = 1;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case COMMA:
      case BRACE:
      case BRACKET:
        if (++values > most) return true;
    }
  }
  return false;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BRACE = 0x7b;

/** Position of the quote that closes the string that begins at `start`, or the end of the text. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (json[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
