/** Session and token that an executor needs to report events. */
export type ExecutorPlace = { sessionId: string; token: string };

/** Message of a server process when it is ready. */
export type Place = {
  url: string;
  /** Token of the owner. */
  token: string;
  executors: ExecutorPlace[];
};

/** Sends the message to the parent process, and exits when the parent closes stdin. */
export function tellParent(place: Place): void {
  console.log(JSON.stringify(place));
  process.stdin.on('end', () => process.exit()).resume();
}
