import { describe, expect, test } from 'vitest';
import { compare, compareAll, compareShapes, mergeShapes } from './compare.ts';
import { lineShapes } from './line-shapes.ts';
import type { Observation } from './observe.ts';
import { reportText } from './report.ts';

const seen: Observation = {
  scenario: 'plain',
  shapes: new Map(),
  events: ['message.completed', 'run.completed'],
  tools: ['Bash ok'],
  unparsed: [],
  brokenPromises: [],
  outcome: 'done',
  output: 'Hello.',
  exitCode: 0,
  inputTokens: 100,
  costUsd: 0.001,
  stop: { state: 'stopped', steps: ['interrupt'], ms: 100 },
};

describe('compare', () => {
  test('finds nothing between two equal observations', () => {
    expect(compare(seen, seen)).toEqual({ broken: [], changed: [] });
  });

  test.each<[string, Partial<Observation>, string]>([
    ['a line nobody understands', { unparsed: ['{"type":"new"}'] }, '{"type":"new"}'],
    ['another outcome', { outcome: 'failed', error: 'overloaded' }, 'done → failed (overloaded)'],
    ['a tool with another outcome', { tools: ['Bash error'] }, 'Bash ok → Bash error'],
    ['another answer', { output: '' }, 'output: Hello. →'],
    ['other token counts', { inputTokens: 0 }, 'input tokens: 100 → 0'],
    ['events that no longer come', { events: ['run.completed'] }, 'no message.completed any more'],
    ['an unverified stop', { stop: { state: 'unverified', steps: [], ms: 1 } }, 'verified'],
    ['a resumed run that costs more', { resumedCost: 2 }, '2.00 ×'],
    ['a broken promise of the stream', { brokenPromises: ['a tool never ends'] }, 'never ends'],
  ])('reports %s as broken', (_, change, words) => {
    const { broken } = compare(seen, { ...seen, ...change });
    expect(broken.join('\n')).toContain(`plain: `);
    expect(broken.join('\n')).toContain(words);
  });

  test.each<[string, Partial<Observation>, string]>([
    ['another exit code', { exitCode: 1 }, 'exit code: 0 → 1'],
    ['another price', { costUsd: 0.002 }, 'cost: $0.001000 → $0.002000'],
    [
      'a slower stop with other steps',
      { stop: { state: 'stopped', steps: ['interrupt', 'SIGKILL'], ms: 900 } },
      'stop steps: interrupt → interrupt, SIGKILL',
    ],
  ])('reports %s as changed', (_, change, words) => {
    const { broken, changed } = compare(seen, { ...seen, ...change });
    expect(broken).toEqual([]);
    expect(changed.join('\n')).toContain(words);
  });
});

test('does not compare what depends on which of two agents is quicker', () => {
  const other = { ...seen, concurrent: true, output: 'Bye.', inputTokens: 7, costUsd: 1 };
  expect(compare(seen, other)).toEqual({ broken: [], changed: [] });
});

describe('compareAll', () => {
  const other = { ...seen, shapes: lineShapes(['{"type":"new"}']), exitCode: 1 };

  test('compares each scenario, and the lines of all together', () => {
    const { changed } = compareAll([seen], [other, { ...other, scenario: 'only here' }]);
    expect(changed).toEqual(['plain: exit code: 0 → 1', 'new line type: new']);
  });

  test('finds no changes without another release, only what is broken', () => {
    const broken = { ...other, brokenPromises: ['a tool never ends'] };
    const expected = { broken: ['plain: a tool never ends'], changed: [] };
    expect(compareAll(undefined, [broken])).toEqual(expected);
  });
});

test('the report of the pinned release says that it was not compared', () => {
  const report = {
    ...({ agent: 'claude', package: 'p', recordings: 'r', scenarios: 3 } as const),
    ...{ broken: ['plain: bad'], changed: [] },
  };
  expect(reportText({ ...report, pinned: '1.0.0', version: '1.0.0' })).toContain(
    'FAIL  claude 1.0.0 (the pinned release: not compared with another one)\n  scenarios: 3, 1 broken\n',
  );
  expect(reportText({ ...report, pinned: '1.0.0', version: '1.0.1' })).toContain(
    'FAIL  claude 1.0.1 (compared with the pinned release 1.0.0)\n  scenarios: 3, 1 broken, 0 changed\n',
  );
});

test('the report names a newest release that could not be installed', () => {
  const text = reportText({
    ...({
      agent: 'pi',
      package: 'p',
      recordings: 'r',
      scenarios: 3,
      broken: [],
      changed: [],
    } as const),
    ...{ pinned: '1.0.0', version: '1.0.0' },
    incomplete: { version: '2.0.0', reason: 'No matching version found for part@2.0.0.' },
  });
  expect(text).toContain('pass  pi 1.0.0');
  expect(text).toContain(
    '  not tested: the newest release 2.0.0, of which the registry lacks a part: No matching',
  );
});

describe('compareShapes', () => {
  const pinned = lineShapes(['{"type":"result","usage":{"in":1}}', '{"type":"gone"}']);

  test('lists new and gone line types and fields, only the outermost field', () => {
    const other = lineShapes([
      '{"type":"result","stats":{"a":1}}',
      '{"type":"system","subtype":"x"}',
    ]);
    expect(compareShapes(pinned, other)).toEqual([
      'new line type: system x',
      'gone line type: gone',
      'new fields: stats (result)',
      'gone fields: usage (result)',
    ]);
  });

  test('lists the same field of several line types once', () => {
    const before = lineShapes(['{"type":"a"}', '{"type":"b"}']);
    const after = lineShapes(['{"type":"a","x":1}', '{"type":"b","x":1}']);
    expect(compareShapes(before, after)).toEqual(['new fields: x (a, b)']);
  });

  test('finds nothing between the same lines in another order', () => {
    const swapped = lineShapes(['{"type":"gone"}', '{"usage":{"in":2},"type":"result"}']);
    expect(compareShapes(pinned, swapped)).toEqual([]);
  });

  test('joins the lines of several scenarios', () => {
    const merged = mergeShapes([pinned, lineShapes(['{"type":"result","more":1}'])]);
    expect([...(merged.get('result') ?? [])]).toEqual(['type', 'usage', 'usage.in', 'more']);
  });
});

describe('lineShapes', () => {
  test('treats keys that are data as the same field', () => {
    const one = lineShapes(['{"type":"r","modelUsage":{"claude-opus-4-8":{"in":1}}}']);
    const two = lineShapes(['{"type":"r","modelUsage":{"gpt-5.5":{"in":1}}}']);
    expect(compareShapes(one, two)).toEqual([]);
  });

  test('does not compare the input of tools', () => {
    const lines = ['{"type":"a","input":{"x":1}}', '{"type":"a","input":{"y":1}}'];
    expect([...(lineShapes(lines).get('a') ?? [])]).toEqual(['type', 'input']);
  });

  test('counts lines that are not JSON objects as one type', () => {
    expect([...lineShapes(['hello', '[1]', '7']).keys()]).toEqual(['not JSON']);
  });
});
