/** Two texts whose content nodes are different and have the same XXH64. XXH64 takes 32 bytes at a time and can be
 *  solved for a later eight of them, so such pairs are made in a second; a store that trusts the hash would return one
 *  author's text for the other's. */
export const collidingTexts: readonly [string, string] = [
  "The coder reports that phase two is done. ----0gNeX7eCKy9Pf34qY6Nb3wWD25RQ4F5ZX8WuGV0T (end of the report)",
  "The coder reports that phase two is done. ----xgEfpM2oKy9Pf34qY6Nb3wWD25RQ4F5ZkSgnTYFX (end of the report)",
];
