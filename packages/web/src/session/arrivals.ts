const writers = new Set<string>();

/** Somebody goes to a session to write. */
export function goToWrite(sessionId: string): void {
  writers.add(sessionId);
}

/** Whether somebody has come to a session to write; true only once. */
export function takeWriter(sessionId: string): boolean {
  return writers.delete(sessionId);
}
