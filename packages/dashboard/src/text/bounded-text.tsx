import Anser from "anser";
import { type ReactNode, useState } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { download } from "../ui/download.ts";
import { FIRST_CHARS, MORE_CHARS, MOST_CHARS, shownPart, sizeOf } from "./pieces.ts";
import { visible } from "./visible.ts";

/** A text of any size as it is, of which a bounded part is in the page. Colours of a terminal are shown as colours. */
export function BoundedText({
  text,
  name = "text",
  prose = false,
}: {
  text: string;
  name?: string;
  /** It was written to be read, not to be run. */
  prose?: boolean;
}) {
  return (
    <Bounded text={text} name={name}>
      {(part) => (
        <pre
          className={`foreign m-0 text-ink ${prose ? "font-sans text-sm" : "font-mono text-xs"}`}
          dir="auto"
        >
          {part.includes("\u001b[") ? <Coloured text={part} /> : visible(part)}
        </pre>
      )}
    </Bounded>
  );
}

/** Shows the beginning of `text` through `children`, and more on demand. */
export function Bounded({
  text,
  name,
  children,
}: {
  text: string;
  name: string;
  children: (part: string) => ReactNode;
}) {
  const [chars, setChars] = useState(FIRST_CHARS);
  const part = shownPart(text, chars);
  if (part.length === text.length) return children(part);
  return (
    <div>
      {children(part)}
      <div className="mt-2 flex flex-wrap items-center gap-2 border-line border-t pt-2">
        <span className="hint">
          {sizeOf(part.length)} of {sizeOf(text.length)}
        </span>
        {chars < MOST_CHARS && (
          <Button size="small" onClick={() => setChars(Math.min(chars + MORE_CHARS, MOST_CHARS))}>
            Show more
          </Button>
        )}
        <CopyButton text={() => text} label="Copy all" />
        <Button size="small" onClick={() => download(`${name}.txt`, text)}>
          Download
        </Button>
      </div>
    </div>
  );
}

/** Colours of the 16 that terminals have, as the page's own. */
const COLOURS: { readonly [name: string]: string } = {
  "ansi-red": "text-bad",
  "ansi-bright-red": "text-bad",
  "ansi-green": "text-good",
  "ansi-bright-green": "text-good",
  "ansi-yellow": "text-warn",
  "ansi-bright-yellow": "text-warn",
  "ansi-blue": "text-accent",
  "ansi-bright-blue": "text-accent",
  "ansi-cyan": "text-accent",
  "ansi-bright-cyan": "text-accent",
  "ansi-magenta": "text-ask",
  "ansi-bright-magenta": "text-ask",
  "ansi-bright-black": "text-dim",
};

function Coloured({ text }: { text: string }) {
  const spans = Anser.ansiToJson(text, { use_classes: true, remove_empty: true });
  const placed = spans.map((span, at) => ({ ...span, at }));
  return placed.map(({ at, ...span }) => {
    const bold = span.decorations.includes("bold") ? "font-semibold" : "";
    return (
      <span key={at} className={`${COLOURS[span.fg] ?? ""} ${bold}`}>
        {visible(span.content)}
      </span>
    );
  });
}
