/** The canonical names of all backends, with the other names they go by. */
export const BACKEND_ALIASES: Readonly<Record<string, readonly string[]>> = {
  'claude-cli': ['claude', 'claude-code', 'claude_code', 'claude_cli'],
  'codex-cli': ['codex', 'openai-codex', 'codex_cli'],
  'codex-sdk': ['codex_sdk'],
  'gemini-cli': ['gemini', 'gemini_cli'],
  opencode: ['opencode-ai', 'open-code'],
  amp: ['amp-code', 'sourcegraph-amp'],
  cursor: ['cursor-agent', 'cursor-cli'],
  droid: ['factory', 'factory-droid'],
  pi: ['pi-agent', 'pi-coding-agent'],
  openclaw: ['openclaw-gateway', 'claw'],
  demo: [],
};

const CANONICAL = new Map(
  Object.entries(BACKEND_ALIASES).flatMap(([id, aliases]) =>
    [id, ...aliases].map((name) => [name, id] as const),
  ),
);

/** The canonical name of a backend; a name that nobody knows is only trimmed and put in lower case. */
export function canonicalName(name: string): string {
  const plain = name.trim().toLowerCase();
  return CANONICAL.get(plain) ?? plain;
}

/** Names that look like a mistyped one, the likeliest first. */
export function similarNames(name: string, names: Iterable<string> = CANONICAL.keys()): string[] {
  const plain = name.trim().toLowerCase();
  return [...names]
    .map((known) => ({ known, distance: editDistance(plain, known) }))
    .filter(({ known, distance }) => distance <= Math.max(1, Math.floor(known.length / 3)))
    .sort((a, b) => a.distance - b.distance)
    .map(({ known }) => known)
    .slice(0, 3);
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
