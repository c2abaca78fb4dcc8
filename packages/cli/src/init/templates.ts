/** Projects in TypeScript. */
export const CODE_TEMPLATES = ["minimal", "develop"] as const;

/** What a new project may start from; each is a folder of `scaffold/`, a project that works as it stands. */
export const TEMPLATES = ["minimal", "develop", "yaml"] as const;
export type Template = (typeof TEMPLATES)[number];
