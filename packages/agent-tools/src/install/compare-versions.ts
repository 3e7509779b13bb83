/** Orders two versions of a program. */
export function compareVersions(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
