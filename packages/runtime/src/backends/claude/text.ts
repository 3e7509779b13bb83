import type { Dialect, DialectOut } from '../../dialect.ts';
import { plainText } from '../../normalize/plain-text.ts';
import { verdictAtEnd } from './end.ts';
import { errorOf } from './errors.ts';
import { LABEL } from './name.ts';

/** As much of a printed answer is kept to tell which error it is. */
const WORDS_LENGTH = 2000;

/** Reads Claude's bare text; when Claude fails, the text says why. */
export function claudeText(out: DialectOut): Dialect {
  const text = plainText(out, LABEL);
  let words = '';
  return {
    line(line) {
      if (words.length < WORDS_LENGTH) words += `${line}\n`;
      text.line(line);
    },
    end(end) {
      if (words === '') return verdictAtEnd(end, false);
      const verdict = text.end(end);
      if (!end.code || verdict?.error?.code !== 'agent_crashed') return verdict;
      return { ...verdict, error: errorOf({ words: words.trim() }) };
    },
  };
}
