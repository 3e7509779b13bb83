import { describe, expect, test } from 'vitest';
import { claudeDialects } from '../../backends/claude/dialect.ts';
import { replayed } from '../../testing/recordings.ts';
import { result } from './testing/stage.ts';

const pretty = (value: unknown) => JSON.stringify(value, null, 2);
const ANSWERS = {
  'an object': pretty({ a: { b: 1 }, c: [2] }),
  'an array': pretty([{ name: 'x' }, { type: 'brand_new' }]),
  'an array on one line': '[{"type":"number","value":1}]',
  'an object with a type': pretty({ type: 'object', properties: {} }),
  'an object with a type of Claude but no session': pretty({ type: 'user', name: 'x' }),
  'an object among words': `Here:\n\n\`\`\`json\n${pretty({ a: 1 })}\n\`\`\`\nDone.`,
  'a bracket that nothing closes': '{\n  "a": 1',
};

describe.each(Object.entries(ANSWERS))('an answer in plain text that is %s', (_name, answer) => {
  test('is the answer, with its line breaks', () => {
    const { events, result } = replay(answer, 0);
    expect(result).toMatchObject({ outcome: 'done', output: answer });
    expect(events.filter(({ type }) => type === 'unparsed' || type === 'notice')).toEqual([]);
  });

  test('failed when the exit code is not 0', () => {
    expect(replay(answer, 1).result.outcome).toBe('failed');
  });
});

describe("Claude's JSON over several lines", () => {
  test.each([
    ['an object', pretty(result())],
    ['an array', pretty([{ type: 'brand_new' }, result()])],
    ['noise before it', `npm warn something\n${pretty(result())}`],
  ])('is read as such: %s', (_name, stdout) => {
    expect(replay(stdout, 0).result).toMatchObject({ outcome: 'done', output: 'The answer.' });
  });

  test.each([
    ['over lines', pretty(result())],
    ['an array over lines', pretty([result()])],
    ['an array', JSON.stringify([result()])],
  ])('that is truncated is not an answer: %s', (_name, stdout) => {
    const { result } = replay(stdout.slice(0, -20), 0);
    expect(result).toMatchObject({ outcome: 'failed', output: '' });
  });
});

function replay(stdout: string, code: number) {
  return replayed({ id: 'claude-cli', label: 'Claude Code' }, claudeDialects, {
    lines: stdout.split('\n'),
    end: { code, stderr: '' },
  });
}
