/** A failure that a person can do something about: printed as message and hint, without a stack. */
export class DevError extends Error {
  constructor(message, hint, exitCode = 1) {
    super(message);
    this.name = "DevError";
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
