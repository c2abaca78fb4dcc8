import type { Root, RootContent } from "hast";
import bash from "highlight.js/lib/languages/bash";
import diff from "highlight.js/lib/languages/diff";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";
import { Bounded } from "./bounded-text.tsx";
import { visible } from "./visible.ts";

const lowlight = createLowlight({
  bash,
  diff,
  json,
  python,
  typescript,
  xml,
  yaml,
});
lowlight.registerAlias({
  bash: ["sh", "shell"],
  // JavaScript is in it.
  typescript: ["ts", "tsx", "javascript", "js", "jsx"],
});

/** A text in a language that it knows, in colours; another one without. */
export function Code({ text, language }: { text: string; language: string | null }) {
  return (
    <div className="overflow-x-auto rounded-sm border border-line bg-ground p-2">
      <Bounded text={text} name="code">
        {(part) => (
          <pre className="foreign m-0 font-mono text-xs">
            <code>
              {language !== null && lowlight.registered(language)
                ? shown(lowlight.highlight(language, visible(part)))
                : visible(part)}
            </code>
          </pre>
        )}
      </Bounded>
    </div>
  );
}

function shown(node: Root): ReactNode {
  return node.children.map(shownPart);
}

function shownPart(node: RootContent, at: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const name = node.properties.className;
  return (
    <span key={`${at}`} className={Array.isArray(name) ? name.join(" ") : ""}>
      {node.children.map(shownPart)}
    </span>
  );
}
