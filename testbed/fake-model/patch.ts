/** A patch in the grammar of Codex that creates or replaces a file. */
export function addFilePatch(path: string, content: string): string {
  return envelope([`*** Add File: ${path}`, ...prefixed('+', content)]);
}

/** A patch in the grammar of Codex that replaces whole lines of a file by others. */
export function updateFilePatch(change: { path: string; old: string; new: string }): string {
  const lines = [...prefixed('-', change.old), ...prefixed('+', change.new)];
  return envelope([`*** Update File: ${change.path}`, '@@', ...lines]);
}

function envelope(lines: string[]): string {
  return ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');
}

function prefixed(sign: '+' | '-', text: string): string[] {
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `${sign}${line}`);
}
