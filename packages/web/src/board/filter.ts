/** Which tasks the board shows. */
export type BoardFilter = { search: string; backend: string; cwd: string };

/** What a filter names; what is empty filters nothing. */
export function given(filter: BoardFilter): Partial<BoardFilter> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}

/** Whether a filter leaves anything away. */
export function isFiltering(filter: BoardFilter): boolean {
  return Object.keys(given(filter)).length > 0;
}
