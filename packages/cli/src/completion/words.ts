export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** Names that only a storage root knows. */
export const NAME_LISTS = ["workflows", "threads", "schedules", "triggers"] as const;
export type NameList = (typeof NAME_LISTS)[number];
