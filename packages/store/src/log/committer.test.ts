import { expect, test } from 'vitest';
import { Committer } from './committer.ts';

function recorded() {
  const log: string[] = [];
  const committer = new Committer<string[]>({
    async begin(act) {
      const tx: string[] = [];
      const result = await act(tx);
      log.push(tx.join(' '));
      return result;
    },
    onRollback: (keys) => log.push(`back: ${keys.join(' ')}`),
  });
  const submit = (key: string, what = key) =>
    committer.submit({
      key,
      async act(tx) {
        if (what === 'bad') throw new Error(`${key} is bad`);
        tx.push(what);
        return what;
      },
    });
  return { log, committer, submit };
}

test('work that comes together is committed together, in the order of its keys', async () => {
  const { log, submit } = recorded();
  expect(await Promise.all([submit('b'), submit('a'), submit('c')])).toEqual(['b', 'a', 'c']);
  expect(log).toEqual(['a b c']);
});

test('work that comes before anything else can happen is committed with it', async () => {
  const { log, submit } = recorded();
  const first = submit('a');
  for (let step = 0; step < 10; step++) await Promise.resolve();
  await Promise.all([first, submit('b')]);
  expect(log).toEqual(['a b']);
});

test('work for one key is done in the order in which it came', async () => {
  const { log, submit } = recorded();
  await Promise.all([submit('a', 'one'), submit('b', 'two'), submit('a', 'three')]);
  expect(log).toEqual(['one three two']);
});

test('a failing job does not affect the others, and is reported as rolled back', async () => {
  const { log, submit } = recorded();
  const results = await Promise.allSettled([submit('a'), submit('b', 'bad'), submit('c')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(log).toEqual(['back: a b c', 'a', 'back: b', 'c']);
});

test('idle waits for all pending jobs', async () => {
  const { log, committer, submit } = recorded();
  void submit('a').then(() => submit('b'));
  await committer.idle();
  expect(log).toContain('a');
  await committer.idle();
  expect(log).toEqual(['a', 'b']);
});

test('the outcome of a broken commit is unknown: its work is not repeated', async () => {
  const begun: string[][] = [];
  const forgotten: string[] = [];
  const committer = new Committer<string[]>({
    async begin(act) {
      const tx: string[] = [];
      begun.push(tx);
      await act(tx);
      throw new Error('The connection broke.');
    },
    onRollback: (keys) => forgotten.push(...keys),
  });
  const submit = (key: string) => committer.submit({ key, act: async (tx) => void tx.push(key) });
  const results = await Promise.allSettled([submit('a'), submit('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(begun).toEqual([['a', 'b']]);
  expect(forgotten).toEqual(['a', 'b']);
});
