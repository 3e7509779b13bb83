/** What this call has used of the program, so that its code can be kept for the next start. */
export const usedParts = new Set<string>();
