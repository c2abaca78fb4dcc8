/** Where the external packages of a bundle come from, in this order. */
export type ExternalBases = {
  /** Storage root: its own `node_modules` first, so that what a person installed there wins. */
  root: string;
  /** `file:` URL of a module of the engine's installation; resolution goes on as if that module imported the package. */
  packagesBase: string;
};
