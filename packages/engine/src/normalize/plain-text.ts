import { errorInfo } from '@baton/protocol/values';
import type { Dialect, DialectOut } from '../definition/dialect.ts';
import { judgeEnd } from './end-verdict.ts';
import { errorText } from './error-text.ts';

const MESSAGE_ID = 'text';
/** Characters that no text contains: NUL, and bytes that are not UTF-8. */
const NO_TEXT = /[\0\uFFFD]/g;
/** Share of them above which output is not text. */
const MOST_BAD = 0.05;

/** Reads an agent that prints nothing but its answer. */
export function plainText(out: DialectOut, label: string, noise: readonly RegExp[] = []): Dialect {
  let started = false;
  let length = 0;
  let bad = 0;
  return {
    line(line) {
      length += line.length;
      bad += line.match(NO_TEXT)?.length ?? 0;
      if (!started) out.emit({ type: 'message.started', messageId: MESSAGE_ID, kind: 'text' });
      out.emit({
        type: 'message.delta',
        messageId: MESSAGE_ID,
        text: started ? `\n${line}` : line,
      });
      started = true;
    },
    end(end) {
      if (started) out.emit({ type: 'message.completed', messageId: MESSAGE_ID });
      if (end.code === 0 && bad > length * MOST_BAD) {
        const error = errorInfo('output_unreadable', `${label} printed something that is no text.`);
        return { outcome: 'failed', error };
      }
      if (end.code === 0 && started) return { outcome: 'done' };
      if (end.code === 0) {
        const words = errorText(end.stderr, noise);
        return {
          outcome: 'failed',
          error: errorInfo('output_unreadable', words || `${label} printed nothing.`),
        };
      }
      return judgeEnd(end, label, { noise });
    },
  };
}
