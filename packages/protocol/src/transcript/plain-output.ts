const SEQUENCES = new RegExp(
  [
    // Colours and moves of the cursor.
    '\\u001b\\[[\\d;:?<=>]*[ -/]*[@-~]',
    // Titles and links.
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)?',
    '\\u001b[PX^_][^\\u001b]*(?:\\u001b\\\\)?',
    '\\u001b(?:[@-Z\\\\-_]|[ -/][0-~])',
  ].join('|'),
  'g',
);
// biome-ignore lint/suspicious/noControlCharactersInRegex: nobody can see them
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/**
 * Returns the output of a program as a terminal shows it at the end: without colours, and only the last text of each
 * overwritten line.
 */
export function plainOutput(text: string): string {
  const plain = text.includes('\u001b') ? text.replaceAll(SEQUENCES, '') : text;
  const lines = plain.includes('\r') ? plain.replaceAll('\r\n', '\n') : plain;
  const last = lines.includes('\r') ? lines.split('\n').map(overwritten).join('\n') : lines;
  return last.replaceAll(UNSEEN, '');
}

function overwritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => part !== '') ?? '';
}
