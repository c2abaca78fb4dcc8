import { Suspense, useState } from "react";
import { Boundary } from "../ui/boundary.tsx";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy.tsx";
import { lazily } from "../ui/lazily.ts";
import { BoundedText } from "./bounded-text.tsx";
import { kindOf } from "./kind-of.ts";

const Markdown = lazily(() => import("./markdown.tsx"), "Markdown");
const Code = lazily(() => import("./code.tsx"), "Code");

/** What an agent or an author said: as Markdown, as JSON if it is that, or as it is. */
export function Said({ text }: { text: string }) {
  const kind = kindOf(text);
  const [plain, setPlain] = useState(false);
  if (text === "") return <p className="hint">Nothing was said.</p>;
  return (
    <div>
      <div className="mb-1 flex justify-end gap-1">
        {kind !== "text" && (
          <Button size="small" look="bare" aria-pressed={plain} onClick={() => setPlain(!plain)}>
            {plain ? "Formatted" : "As it is"}
          </Button>
        )}
        <CopyButton look="bare" text={() => text} />
      </div>
      {plain || kind === "text" ? (
        <BoundedText text={text} name="said" />
      ) : (
        <Boundary key={text} instead={<BoundedText text={text} name="said" />}>
          <Suspense fallback={<BoundedText text={text} name="said" />}>
            {kind === "json" ? (
              <Code text={JSON.stringify(JSON.parse(text), null, 2)} language="json" />
            ) : (
              <Markdown text={text} />
            )}
          </Suspense>
        </Boundary>
      )}
    </div>
  );
}
