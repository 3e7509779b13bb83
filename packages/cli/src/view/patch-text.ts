import type { FileDifference } from '@baton/protocol/values';
import { safe, style } from './style.ts';

type Stream = NodeJS.WriteStream;

/** A patch in the colours that people know from git; text of files cannot control the terminal. */
export function patchText(out: Stream, patch: string): string {
  return safe(patch)
    .split('\n')
    .map((line) => coloured(out, line))
    .join('\n');
}

function coloured(out: Stream, line: string): string {
  if (
    /^(diff|index|---|\+\+\+|new file|deleted file|rename|similarity|old mode|new mode) ?/.test(
      line,
    )
  ) {
    return style(out, 'bold', line);
  }
  if (line.startsWith('@@')) return style(out, 'cyan', line);
  if (line.startsWith('+')) return style(out, 'green', line);
  if (line.startsWith('-')) return style(out, 'red', line);
  return line;
}

const LETTERS = { added: 'A', deleted: 'D', modified: 'M', renamed: 'R', replaced: 'T' } as const;

/** One line for each changed file, and their sum. */
export function statText(
  out: Stream,
  changes: {
    files: readonly FileDifference[];
    total: number;
    additions: number;
    deletions: number;
  },
): string {
  const lines = changes.files.map((file) => {
    const { path, old_path: oldPath, kind, additions, deletions, is_binary: isBinary } = file;
    const name = safe(oldPath ? `${oldPath} → ${path}` : path).replaceAll('\n', '\\n');
    const counts = isBinary
      ? 'binary'
      : `${style(out, 'green', `+${additions ?? 0}`)} ${style(out, 'red', `−${deletions ?? 0}`)}`;
    return `${LETTERS[kind]}  ${name}  ${counts}\n`;
  });
  const { files, total, additions, deletions } = changes;
  const more = total > files.length ? `… and ${total - files.length} more\n` : '';
  const sum = `${total === 1 ? '1 file' : `${total} files`} changed, +${additions} −${deletions}\n`;
  return `${lines.join('')}${more}${sum}`;
}
