/** What the agent said last: its words since its last tool call, or of its last message where it tells one from
 *  another. Of more than `MOST_CHARS` the end is kept: the result stands there. */
export type LastMessage = {
  push(text: string, messageId: string | null): void;
  /** Something else came between. */
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
      // Cut at twice the size: cutting at each piece would copy the whole each time.
      if (text.length > 2 * MOST_CHARS) text = text.slice(-MOST_CHARS);
    },
    interrupted: () => {
      over = true;
    },
    text: () => text.slice(-MOST_CHARS).toWellFormed(),
  };
}
