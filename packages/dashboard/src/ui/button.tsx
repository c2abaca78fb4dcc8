import type { ButtonHTMLAttributes } from "react";

type Look = "plain" | "main" | "danger" | "bare";

const LOOKS: { readonly [look in Look]: string } = {
  plain: "border-line bg-surface text-ink hover:bg-raised",
  main: "border-transparent bg-accent text-on-accent hover:brightness-110",
  danger: "border-bad/50 bg-surface text-bad hover:bg-bad-tint",
  bare: "border-transparent bg-transparent text-dim hover:bg-raised hover:text-ink",
};

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look;
  size?: "normal" | "small";
};

export function Button({ look = "plain", size = "normal", className, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={`${buttonClass(look, size)} ${className ?? ""}`} />
  );
}

/** For a link that looks like a button. */
export function buttonClass(look: Look = "plain", size: "normal" | "small" = "normal"): string {
  const padding = size === "small" ? "h-6 px-2 text-xs" : "h-7 px-2.5 text-sm";
  return `inline-flex shrink-0 items-center gap-1.5 whitespace-nowrap rounded-sm border font-medium no-underline disabled:opacity-50 ${padding} ${LOOKS[look]}`;
}
