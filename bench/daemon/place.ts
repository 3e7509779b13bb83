/** What an executor needs to report events. */
export type ExecutorPlace = { sessionId: string; token: string };

/** What a server in another process tells when it is ready. */
export type Place = {
  url: string;
  /** Lets its holder do everything. */
  token: string;
  executors: ExecutorPlace[];
};

/** Tells the process that started this one, and lives as long as that one wants. */
export function tellParent(place: Place): void {
  console.log(JSON.stringify(place));
  process.stdin.on('end', () => process.exit()).resume();
}
