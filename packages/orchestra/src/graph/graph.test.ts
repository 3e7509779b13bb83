import { type OutlineStep, STEP_KINDS, type StepStatus } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mermaidOf } from './mermaid.ts';
import { svgOf } from './svg.ts';
import { STATUS_LOOKS } from './svg-style.ts';

const OUTLINE: OutlineStep[] = [
  { id: 'plan', kind: 'agent', agent: 'planner', backend: 'demo', iterations: 3 },
  {
    id: 'checks',
    kind: 'parallel',
    condition: 'if plan.ok is "yes"',
    steps: [
      { id: 'lint', kind: 'agent', agent: 'checker', backend: 'demo' },
      { id: 'test', kind: 'agent', agent: 'checker' },
    ],
  },
  {
    id: 'fix',
    kind: 'loop',
    iterations: 5,
    steps: [
      { id: 'code', kind: 'agent', agent: 'coder', backend: 'demo' },
      { id: 'ok', kind: 'approval' },
    ],
  },
];

/** Outlines with texts from anywhere. */
function anyOutline(): fc.Arbitrary<OutlineStep[]> {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('<a href="&">`#`'));
  const leaf = fc.record(
    {
      id: text,
      kind: fc.constantFrom(...STEP_KINDS),
      agent: text,
      backend: text,
      iterations: fc.nat(),
      condition: text,
    },
    { requiredKeys: ['id', 'kind'] },
  );
  const { list } = fc.letrec<{ list: OutlineStep[]; step: OutlineStep }>((tie) => ({
    list: fc.array(tie('step'), { maxLength: 6 }),
    step: fc.oneof(
      { depthSize: 'small' },
      leaf,
      fc.tuple(leaf, tie('list')).map(([step, steps]) => ({ ...step, steps })),
    ),
  }));
  return list;
}

describe('mermaidOf', () => {
  test('draws sequences with arrows, and containers as subgraphs', () => {
    expect(mermaidOf(OUTLINE)).toBe(
      [
        'flowchart TD',
        '  n1["plan<br/>planner · demo · up to 3×"]',
        '  subgraph n2["checks · parallel · if plan.ok is #34;yes#34;"]',
        '    direction TB',
        '    n3["lint<br/>checker · demo"]',
        '    n4["test<br/>checker"]',
        '  end',
        '  subgraph n5["fix · loop · up to 5×"]',
        '    direction TB',
        '    n6["code<br/>coder · demo"]',
        '    n7{{"ok<br/>approval"}}',
        '    n6 --> n7',
        '  end',
        '  n1 --> n2',
        '  n2 --> n5',
        '',
      ].join('\n'),
    );
  });

  test('has only valid lines, whatever the labels contain', () => {
    const label = /"[^"<>`[\]{}|\\]*"/.source;
    const withBreaks = (line: string) => line.replaceAll('<br/>', ' ');
    const line = new RegExp(
      `^ +(n\\d+(\\[${label}\\]|\\{\\{${label}\\}\\})|subgraph n\\d+\\[${label}\\]|direction TB|end|n\\d+ --> n\\d+)$`,
    );
    fc.assert(
      fc.property(anyOutline(), (outline) => {
        const [first, ...rest] = mermaidOf(outline).trimEnd().split('\n');
        expect(first).toBe('flowchart TD');
        for (const each of rest) expect(withBreaks(each)).toMatch(line);
      }),
    );
  });
});

describe('svgOf', () => {
  test('shows every step with its agent, backend, limit and condition', () => {
    const svg = svgOf(OUTLINE);
    const texts = [...svg.matchAll(/<t(?:ext|span)[^>]*>([^<]+)</g)].map((match) => match[1]);
    expect(texts).toEqual([
      ...['plan', 'planner · demo · up to 3×', 'if plan.ok is "yes"', 'checks', 'parallel'],
      ...['lint', 'checker · demo', 'test', 'checker'],
      ...['fix', 'loop · up to 5×', 'code', 'coder · demo', 'ok', 'approval'],
    ]);
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg).not.toMatch(/url\(|@import|href/);
  });

  test('cuts long labels', () => {
    const svg = svgOf([{ id: 'x'.repeat(500), kind: 'agent', agent: 'y'.repeat(500) }]);
    expect(svg).toContain(`>${'x'.repeat(31)}…<`);
    expect(svg).toContain(`>${'y'.repeat(39)}…<`);
    expect(Number(/ width="(\d+)"/.exec(svg)?.[1])).toBeLessThan(400);
  });

  /** The status word of each step, by its id. */
  function statusWords(statuses: [string, StepStatus][]): Record<string, string | undefined> {
    const svg = svgOf(OUTLINE, new Map(statuses));
    const titles = [...svg.matchAll(/class="title"[^>]*>([^<]+)</g)].map((match) => {
      const before = svg.slice(svg.lastIndexOf('<rect', match.index), match.index);
      return [match[1] ?? '', /class="status"[^>]*>([^<]+)</.exec(before)?.[1]] as const;
    });
    return Object.fromEntries(titles.filter(([, words]) => words !== undefined));
  }

  test('shows the status of each step in words', () => {
    for (const [status, { words }] of Object.entries(STATUS_LOOKS)) {
      expect(statusWords([['checks/lint', status as StepStatus]])).toEqual({ lint: words });
    }
  });

  test('shows the active iteration of a step, or else the last one', () => {
    const all: [string, StepStatus][] = [
      ['fix', 'running'],
      ['fix#1/code', 'failed'],
      ['fix#1/ok', 'running'],
      ['fix#2/code', 'done'],
      ['fix#2/ok', 'failed'],
      ['plan', 'done'],
      ['plan#1', 'failed'],
    ];
    expect(statusWords(all)).toEqual({ plan: 'Done', fix: 'Running', code: 'Done', ok: 'Running' });
  });

  test('is well-formed XML, whatever the labels contain', () => {
    fc.assert(
      fc.property(anyOutline(), (outline) => {
        const svg = svgOf(outline);
        // A label may be any text.
        expect(svg.replaceAll(/>[^<]*</g, '><')).not.toContain('NaN');
        expect(svg.isWellFormed()).toBe(true);
        expect(/[^\P{Cc}\n]|[\uFFFE\uFFFF]/u.test(svg)).toBe(false);
        expect(svg.replaceAll(/&(amp|lt|gt);/g, '')).not.toContain('&');
        expect(unbalanced(svg)).toEqual([]);
      }),
    );
  });
});

/** The elements that are not closed, and everything that looks like a tag and is none. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  const tag = /<(\/?)(svg|style|g|rect|text|tspan|path)((?: [a-z:A-Z-]+="[^"<&]*")*)(\/?)>/g;
  for (const [, isEnd, name = '', , isEmpty] of xml.matchAll(tag)) {
    if (isEnd && open.at(-1) === name) open.pop();
    else if (!isEmpty) open.push(name);
  }
  return [...open, ...(xml.replaceAll(tag, '').match(/</g) ?? [])];
}
