/** Windows starts the .cmd shims of installed programs through its shell only. No argument here
 *  comes from outside the repository and its user's own command line. */
export const needsShell = (command) =>
  process.platform === "win32" && !command.toLowerCase().endsWith(".exe");
