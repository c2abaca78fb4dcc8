/** Where the external packages of a bundle come from, in this order. */
export type ExternalBases = {
  /** Storage root: its own `node_modules` first, so that what a person installed there takes precedence. */
  root: string;
  /** `file:` URL of a module of the engine's installation: then whatever that module would resolve. */
  packagesBase: string;
  /** `file:` URL of an author's module, only while its bundle is built: finally whatever is installed for it. */
  project?: string;
};
