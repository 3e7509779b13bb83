/** Filter of the board. */
export type BoardFilter = { search: string; backend: string; cwd: string };

/** Returns the fields of a filter that are set. */
export function given(filter: BoardFilter): Partial<BoardFilter> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}

/** True if a filter excludes any tasks. */
export function isFiltering(filter: BoardFilter): boolean {
  return Object.keys(given(filter)).length > 0;
}
