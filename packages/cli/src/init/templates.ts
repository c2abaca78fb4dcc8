/** Projects in TypeScript. */
export const CODE_TEMPLATES = ["minimal", "develop"] as const;

/** The templates for a new project; each is a folder in `scaffold/` with a working project. */
export const TEMPLATES = ["minimal", "develop", "yaml"] as const;
export type Template = (typeof TEMPLATES)[number];
