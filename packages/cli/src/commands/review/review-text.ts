/** A comment as it is read from the text of a review. */
export type WrittenComment = {
  path: string;
  side: 'old' | 'new';
  /** Null for the whole file. */
  line: number | null;
  end_line: number | null;
  /** The line that it is about. */
  quote: string;
  text: string;
};

const HELP = [
  'Write a comment in a new line below a line of the change. Each line of it begins with "# ".',
  'Below the name of a file it is about the whole file. Save and close to send the comments;',
  'without comments nothing is sent. Lines that begin with "#:" are ignored, like these.',
];

/** The text that a person edits: a patch with instructions. */
export function reviewText(patch: string): string {
  return `${HELP.map((line) => `#: ${line}`).join('\n')}\n\n${patch}`;
}

const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Reads the comments from an edited text: each is about the line above it. */
export function readComments(text: string): WrittenComment[] {
  const found: WrittenComment[] = [];
  let place: Omit<WrittenComment, 'text'> | undefined;
  let [before, after] = [0, 0];
  let isInHunk = false;
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#:')) continue;
    if (line.startsWith('#')) {
      const words = line.replace(/^# ?/, '');
      const last = found.at(-1);
      if (isOpen && last) last.text += `\n${words}`;
      else if (place) found.push({ ...place, text: words });
      isOpen = place !== undefined;
      continue;
    }
    isOpen = false;
    const [, oldStart, newStart] = HUNK.exec(line) ?? [];
    if (line.startsWith('diff --git ')) {
      isInHunk = false;
      place = undefined;
    } else if (!isInHunk && (line.startsWith('--- ') || line.startsWith('+++ '))) {
      const path = pathIn(line.slice(4));
      if (path !== undefined) {
        place = { path, side: 'new', line: null, end_line: null, quote: '' };
      }
    } else if (oldStart !== undefined) {
      isInHunk = true;
      [before, after] = [Number(oldStart), Number(newStart)];
    } else if (isInHunk && place) {
      const isOld = line.startsWith('-');
      if (!isOld && !line.startsWith('+') && !line.startsWith(' ') && line !== '') continue;
      const number = isOld ? before : after;
      const { path } = place;
      place = {
        ...{ path, side: isOld ? 'old' : 'new' },
        ...{ line: number, end_line: number },
        quote: `${line.slice(1)}\n`,
      };
      if (!line.startsWith('+')) before += 1;
      if (!isOld) after += 1;
    }
  }
  return found
    .map((comment) => ({ ...comment, text: comment.text.trim() }))
    .filter(({ text }) => text !== '');
}

/** The path in a line such as `+++ b/src/a.ts`; undefined for /dev/null. */
function pathIn(text: string): string | undefined {
  const name = text.replace(/\t$/, '');
  if (name === '/dev/null') return undefined;
  const path = name.startsWith('"') ? unquoted(name) : name;
  return path.replace(/^[ab]\//, '');
}

/** A name as Git quotes it: with backslashes and bytes in octal. */
function unquoted(text: string): string {
  const bytes: number[] = [];
  const inner = text.slice(1, -1);
  for (let at = 0; at < inner.length; ) {
    const [whole = '', octal, letter] = /^\\(?:([0-7]{3})|(.))/.exec(inner.slice(at)) ?? [];
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(...Buffer.from(ESCAPES[letter] ?? letter));
    else {
      const [character = ''] = inner.slice(at);
      bytes.push(...Buffer.from(character));
      at += character.length;
      continue;
    }
    at += whole.length;
  }
  return Buffer.from(bytes).toString();
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  a: '\x07',
};
