import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { Code } from "./code.tsx";
import { visible } from "./visible.ts";

/** Addresses that a click may open. */
const OPENABLE = /^(https?:|mailto:)/i;

/** What stands for the parts that could load, lead or run. */
const PARTS: Components = {
  img: ({ src, alt }) => (
    <span className="text-dim">
      [image{alt ? ` “${alt}”` : ""}: {String(src ?? "")}]
    </span>
  ),
  a: ({ href, children }) =>
    href !== undefined && OPENABLE.test(href) ? (
      <a
        href={href}
        target="_blank"
        rel="noopener noreferrer nofollow"
        title={href}
        className="text-accent underline"
      >
        {children}
      </a>
    ) : (
      <span>
        {children} {href !== undefined && <span className="text-dim">({href})</span>}
      </span>
    ),
  pre: ({ children }) => <div className="my-2">{children}</div>,
  code: ({ className, children }) => {
    const language = /language-([\w+-]+)/.exec(className ?? "")?.[1];
    const text = String(children);
    if (language === undefined && !text.includes("\n")) {
      return <code className="rounded-sm bg-raised px-1 font-mono text-xs">{text}</code>;
    }
    return <Code text={text.replace(/\n$/, "")} language={language ?? null} />;
  },
  input: ({ checked }) => <span aria-hidden="true">{checked ? "☑" : "☐"}</span>,
};

/** Markdown as elements: its HTML is text, its images are text, and its links open elsewhere. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="prose-said foreign-block" dir="auto">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[rehypeSanitize]}
        components={PARTS}
      >
        {visible(text)}
      </ReactMarkdown>
    </div>
  );
}
