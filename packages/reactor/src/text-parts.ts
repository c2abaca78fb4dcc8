/** A text that arrives in pieces. Millions of single characters take no more memory than the text: concatenating
 *  strings one by one would keep every piece. */
export class TextParts {
  #whole = "";
  #parts: string[] = [];

  add(part: string): void {
    if (part === "") return;
    this.#parts.push(part);
    if (this.#parts.length >= MOST_PARTS) this.#join();
  }

  text(): string {
    this.#join();
    return this.#whole;
  }

  #join(): void {
    this.#whole = [this.#whole, ...this.#parts].join("");
    this.#parts = [];
  }
}

const MOST_PARTS = 4_096;
