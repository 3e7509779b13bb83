import { BatonError } from '@baton/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Scope } from './scope.ts';
import { literal, references, render, renderList } from './templates.ts';

const PLAN = { files: [{ path: 'a.ts' }, { path: 'b.ts' }], 'due-date': null };
const SCOPE: Scope = {
  inputs: { goal: 'Ship it', 'dry-run': 'yes' },
  steps: new Map([
    ['plan', { outcome: 'done', output: 'The plan', structured: PLAN }],
    ['fix-2', { outcome: 'skipped', output: '' }],
  ]),
  previous: { outcome: 'failed', output: 'Two tests fail.' },
  item: { name: 'Ada', tags: ['x', 'y'] },
  index: 0,
  iteration: 3,
};

function errorOf(act: () => unknown): BatonError {
  try {
    act();
  } catch (error) {
    if (BatonError.is(error)) return error;
  }
  throw new Error('No BatonError was thrown.');
}

describe('render', () => {
  test.each([
    ['{{inputs.goal}}', 'Ship it'],
    ['{{ inputs.dry-run }}', 'yes'],
    ['Do: {{inputs.goal}}, {{inputs.goal}}.', 'Do: Ship it, Ship it.'],
    ['{{steps.plan.output}} {{steps.plan.outcome}}', 'The plan done'],
    ['{{steps.plan.structured.files.1.path}}', 'b.ts'],
    ['{{steps.plan.structured.files.0}}', '{"path":"a.ts"}'],
    ['{{steps.plan.structured.due-date}}', 'null'],
    ['{{steps.plan.structured.files.length}}', '2'],
    ['[{{steps.fix-2.output}}] {{steps.fix-2.outcome}}', '[] skipped'],
    ['{{previous.output}} ({{previous.outcome}})', 'Two tests fail. (failed)'],
    ['{{item}}', '{"name":"Ada","tags":["x","y"]}'],
    ['{{item.name}} {{item.tags.1}} {{index}} {{iteration}}', 'Ada y 0 3'],
    ['End with {{marker}}.', 'End with ORCHESTRA_COMPLETE.'],
    ['{{{{inputs.goal}}', '{{inputs.goal}}'],
    ['{{{{{{item.name}}}}', '{{Ada}}'],
    ['{{{item.name}}}', '{Ada}'],
    ['{"a": {"b": {{index}}}}', '{"a": {"b": 0}}'],
    ['a } b }} c { d', 'a } b }} c { d'],
    ['', ''],
  ])('%s gives %s', (template, text) => {
    expect(render(template, SCOPE)).toBe(text);
  });

  test.each([
    '{{inputs.other}}',
    '{{inputs.constructor}}',
    '{{inputs.__proto__}}',
    '{{steps.nope.output}}',
    '{{steps.fix-2.structured}}',
    '{{steps.plan.structured.files.2.path}}',
    '{{steps.plan.structured.files.map}}',
    '{{steps.plan.structured.__proto__}}',
    '{{steps.plan.structured.constructor.name}}',
    '{{item.name.length}}',
  ])('a missing value is an error that names it: %s', (template) => {
    const error = errorOf(() => render(`Say ${template}.`, SCOPE));
    expect(error).toMatchObject({ code: 'usage', message: `${template} has no value.` });
  });

  test('nothing of a loop, a list or an earlier step exists outside of it', () => {
    const empty: Scope = { inputs: {}, steps: new Map() };
    for (const name of ['item', 'item.name', 'index', 'iteration', 'previous.output']) {
      expect(errorOf(() => render(`{{${name}}}`, empty)).message).toBe(`{{${name}}} has no value.`);
    }
  });

  test.each([
    ['{{inputs.goal', '{{inputs.goal has no closing }}.'],
    ['{{}}', '{{}} refers to nothing that exists; write inputs.NAME,'],
    ['{{goal}}', '{{goal}} refers to nothing that exists; write inputs.NAME,'],
    ['{{inputs}}', '{{inputs}} must be {{inputs.NAME}}.'],
    ['{{inputs.a.b}}', '{{inputs.a.b}} must be {{inputs.NAME}}.'],
    ['{{inputs..a}}', '{{inputs..a}} has an empty name between dots.'],
    ['{{steps}}', '{{steps}} must be {{steps.ID.output}}.'],
    ['{{steps.plan}}', '{{steps.plan}} must be {{steps.plan.output}},'],
    ['{{steps.plan.result}}', '{{steps.plan.result}} must be {{steps.plan.output}},'],
    ['{{steps.plan.output.a}}', '{{steps.plan.output.a}} must be {{steps.plan.output}},'],
    ['{{previous}}', '{{previous}} must be {{previous.output}},'],
    ['{{index.a}}', '{{index.a}} must be {{index}}.'],
  ])('%s is an error', (template, start) => {
    const error = errorOf(() => render(template, SCOPE));
    expect(error.code).toBe('usage');
    expect(error.message.slice(0, start.length)).toBe(start);
  });

  test('never renders an inserted value again', () => {
    fc.assert(
      fc.property(braceText(), braceText(), (output, around) => {
        const steps = new Map([['a', { outcome: 'done' as const, output }]]);
        const rendered = render(`${literal(around)}\n{{steps.a.output}}\n`, { inputs: {}, steps });
        expect(rendered).toBe(`${around}\n${output}\n`);
      }),
    );
  });

  test('gives back every text that was made literal', () => {
    fc.assert(
      fc.property(braceText(), (text) => {
        expect(render(literal(text), { inputs: {}, steps: new Map() })).toBe(text);
      }),
    );
  });

  test('resolves own properties only', () => {
    const inherited = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(fc.constantFrom(...inherited), fc.object(), (name, structured) => {
        fc.pre(!Object.hasOwn(structured, name));
        const steps = new Map([['a', { outcome: 'done' as const, output: '', structured }]]);
        const scope = { inputs: {}, steps, item: structured };
        for (const template of [
          `{{inputs.${name}}}`,
          `{{steps.a.structured.${name}}}`,
          `{{item.${name}}}`,
        ]) {
          expect(errorOf(() => render(template, scope)).message).toContain('has no value');
        }
      }),
    );
  });

  test('renders any text or reports a usage error', () => {
    fc.assert(
      fc.property(braceText(), (template) => {
        try {
          expect(typeof render(template, SCOPE)).toBe('string');
        } catch (error) {
          expect(error).toMatchObject({ code: 'usage' });
        }
      }),
    );
  });
});

describe('renderList', () => {
  const scopeOf = (output: string, structured?: unknown): Scope => ({
    inputs: {},
    steps: new Map([['a', { outcome: 'done', output, structured }]]),
  });

  test('gives an array as it is', () => {
    const items = [1, 'two', { three: 3 }];
    const list = renderList(' {{steps.a.structured.items}} ', scopeOf('', { items }));
    expect(list).toEqual(items);
  });

  test.each([
    ['["a", {"b": 1}]', ['a', { b: 1 }]],
    ['\n [] \n', []],
    ['```json\n["a"]\n```', ['a']],
    ['a.ts\n\n  b.ts \r\n', ['a.ts', 'b.ts']],
    ['[not json', ['[not json']],
    ['', []],
  ])('reads the text %j', (text, items) => {
    expect(renderList('{{steps.a.output}}', scopeOf(text))).toEqual(items);
  });

  test('reads a text around expressions', () => {
    expect(renderList('first\n{{steps.a.output}}', scopeOf('second\nthird'))).toEqual([
      'first',
      'second',
      'third',
    ]);
  });

  test('an object is no list', () => {
    const error = errorOf(() => renderList('{{steps.a.structured}}', scopeOf('', { files: [] })));
    expect(error.message).toBe('{{steps.a.structured}} is an object, not a list.');
  });
});

test('references gives each expression with its place', () => {
  expect(references('Do {{inputs.goal}} {{{{ {{steps.a-b.structured.x.0}} {{nope}}')).toEqual([
    { source: '{{inputs.goal}}', offset: 3, reference: { kind: 'input', name: 'goal' } },
    {
      source: '{{steps.a-b.structured.x.0}}',
      offset: 24,
      reference: { kind: 'step', step: 'a-b', field: 'structured', path: ['x', '0'] },
    },
    {
      source: '{{nope}}',
      offset: 53,
      reference: { kind: 'invalid', problem: expect.stringContaining('nothing that exists') },
    },
  ]);
});

/** Texts in which braces and expressions are frequent. */
function braceText(): fc.Arbitrary<string> {
  const pieces = fc.oneof(
    fc.constantFrom('{', '}', '{{', '}}', '{{{{', '{{inputs.goal}}', '{{marker}}', '\n'),
    fc.string(),
  );
  return fc.array(pieces).map((all) => all.join(''));
}
