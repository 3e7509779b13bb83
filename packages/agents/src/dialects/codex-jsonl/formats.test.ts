import { expect, test } from 'vitest';
import { recording } from '../../testing/recordings.ts';
import { reportedError, withoutBanner } from './formats.ts';

const { stderr } = recording('codex', '118').end;

test('the banner is removed, whatever its colours; the text around it stays', () => {
  const rest = withoutBanner(stderr).split('\n');
  expect(rest.slice(0, 3)).toEqual([
    'Reading additional input from stdin...',
    'user',
    '[[400]] hi',
  ]);
  const coloured = stderr.replaceAll(/^(model):/gm, '\u001b[1m$1:\u001b[0m');
  expect(withoutBanner(coloured)).toBe(withoutBanner(stderr));
});

test('a text that only starts like a banner is unchanged', () => {
  const cut = 'OpenAI Codex v0.166.0\n--------\nworkdir: /w\npanicked at x\n';
  expect(withoutBanner(cut)).toBe(cut);
});

test('the last reported error counts', () => {
  expect(reportedError(stderr)).toMatchObject({ message: 'Bad request thing' });
  expect(reportedError('ERROR: one\nERROR: Quota exceeded.\nbye')?.code).toBe('quota_exhausted');
  expect(reportedError('user\nwhat is an ERROR: ?')).toBeUndefined();
});
