import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StepSource } from './chains-schema.ts';
import { Problems } from './problems.ts';
import { parseSource } from './source.ts';
import { identify, type StepNode } from './step-ids.ts';

function ids(steps: readonly StepSource[]): StepNode[] {
  const source = parseSource('chains.json', '{}');
  return identify(steps, [], new Problems({ path: '/chains.json', text: '{}', source, cwd: '/' }));
}

test('ids that are given are kept, and others avoid them', () => {
  const nodes = ids([
    { agent: 'fix' },
    { agent: 'fix' },
    { id: 'fix', agent: 'x' },
    { id: 'fix-3', agent: 'x' },
    { agent: 'v1.2' },
    { agent: 'previous' },
    { approve: 'Go?' },
  ]);
  const expected = ['fix-2', 'fix-4', 'fix', 'fix-3', 'v1-2', 'previous-2', 'approval'];
  expect(nodes.map(({ id }) => id)).toEqual(expected);
});

test('ids are unique in each list and can be used in templates', () => {
  const name = fc.constantFrom('a', 'a-2', 'a.2', 'loop', 'previous');
  const { list } = fc.letrec<{ list: StepSource[]; step: StepSource }>((tie) => ({
    list: fc.array(tie('step'), { minLength: 1, maxLength: 6 }),
    step: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({ agent: name }),
      fc.record({ approve: fc.constant('Go?') }),
      fc.record({ parallel: tie('list') }),
      fc.record({ loop: tie('list'), maxIterations: fc.constant(1) }),
    ),
  }));
  const check = (nodes: readonly StepNode[]): void => {
    const all = nodes.map(({ id }) => id);
    expect(new Set(all).size).toBe(all.length);
    for (const id of all) expect(id).toMatch(/^(?!previous$)[A-Za-z0-9][A-Za-z0-9_-]*$/);
    for (const { children } of nodes) check(children);
  };
  fc.assert(fc.property(list, (steps) => check(ids(steps))));
});
