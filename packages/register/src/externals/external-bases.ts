/** Where the external packages of a bundle come from, in this order. */
export type ExternalBases = {
  /** Storage root: its own `node_modules` first, so that what a person installed there wins. */
  root: string;
  /** `file:` URL of a module of the engine's installation: what that module would get comes next. */
  packagesBase: string;
  /** `file:` URL of an author's module, only while its bundle is built: what is installed for it comes last. */
  project?: string;
};
