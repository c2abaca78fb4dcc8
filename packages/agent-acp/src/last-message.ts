/** What the agent said last: its words since its last tool call, or its last message if it separates messages. Only
 *  the end of more than `MOST_CHARS` is kept, because the result is there. */
export type LastMessage = {
  push(text: string, messageId: string | null): void;
  /** Something else came in between. */
  interrupted(): void;
  text(): string;
};

const MOST_CHARS = 1024 * 1024;

export function lastMessage(): LastMessage {
  let text = "";
  let id: string | null = null;
  let over = false;
  return {
    push(piece, messageId) {
      if (over || messageId !== id) text = "";
      over = false;
      id = messageId;
      text += piece;
      // Cut at twice the size: cutting for each piece would copy everything each time.
      if (text.length > 2 * MOST_CHARS) text = text.slice(-MOST_CHARS);
    },
    interrupted: () => {
      over = true;
    },
    text: () => text.slice(-MOST_CHARS).toWellFormed(),
  };
}
