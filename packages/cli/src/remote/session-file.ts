import { BatonError, type SessionRecord } from '@baton/protocol/values';

/** The first line of a file that holds a session; one event on each further line. */
type SessionFileHead = {
  baton: 'session';
  version: 1;
  session_id: string;
  /** Number of events that follow. */
  events: number;
  exported_at: string;
};

/** The first line of the file of a session. */
export function fileHead({ session_id, head_cursor }: SessionRecord): SessionFileHead {
  return {
    baton: 'session',
    version: 1,
    session_id,
    events: head_cursor,
    exported_at: new Date().toISOString(),
  };
}

/** A line of the file of a session, also for programs that take U+2028 and U+2029 for the ends of lines. */
export function fileLine(value: object): string {
  const escaped = (mark: string) => `\\u${mark.charCodeAt(0).toString(16)}`;
  return `${JSON.stringify(value).replaceAll(/[\u2028\u2029]/g, escaped)}\n`;
}

/** Reads the first line of the file of a session. */
export function readFileHead(line: string | undefined): SessionFileHead {
  const head = parsedLine(line ?? '') as Partial<SessionFileHead> | undefined;
  if (head?.baton !== 'session' || typeof head.session_id !== 'string') {
    throw new BatonError('usage', 'Not a session file.', {
      hint: 'Create one with "baton export SESSION".',
    });
  }
  if (head.version !== 1 || typeof head.events !== 'number') {
    throw new BatonError('usage', `Unsupported file version ${head.version}; expected 1.`);
  }
  return head as SessionFileHead;
}

function parsedLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
