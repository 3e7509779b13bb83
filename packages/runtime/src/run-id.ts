/** A name for a run that no other run has. It is no secret, and loading node:crypto would cost 4 ms at each start. */
export function newRunId(): string {
  return `run_${Date.now().toString(36)}_${hex(8)}${hex(8)}`;
}

/** A UUID of version 4, which is no secret either. */
export function newUuid(): string {
  const variant = '89ab'[Math.floor(Math.random() * 4)];
  return `${hex(8)}-${hex(4)}-4${hex(3)}-${variant}${hex(3)}-${hex(8)}${hex(4)}`;
}

function hex(digits: number): string {
  return Math.floor(Math.random() * 16 ** digits)
    .toString(16)
    .padStart(digits, '0');
}
