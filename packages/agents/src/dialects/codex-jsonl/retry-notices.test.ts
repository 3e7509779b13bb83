import { expect, test } from 'vitest';
import { execDialect } from './exec.ts';
import { RetryNotices } from './retry-notices.ts';
import { DialectStage } from './testing/dialect-stage.ts';

const waiting = {
  type: 'error',
  message: 'Reconnecting... waiting for network (Connection failed: error sending request)',
};

test('codex exec is ended at the fourth wait for a network in a row', () => {
  const stage = new DialectStage((out) => execDialect(out)).say(waiting, waiting, waiting);
  expect(stage.givenUp).toEqual([]);
  stage.say(waiting);
  expect(stage.givenUp).toMatchObject([{ code: 'network_unreachable' }]);
});

test('waits are reset after an answer of the model', () => {
  const stage = new DialectStage((out) => execDialect(out)).say(waiting, waiting, waiting);
  stage.say({ type: 'item.completed', item: { id: 'i', type: 'reasoning', text: 'Hm.' } });
  expect(stage.say(waiting, waiting, waiting).givenUp).toEqual([]);
});

test('a retry after a rate limit says that its time is not known', () => {
  const stage = new DialectStage((out) => {
    const retries = new RetryNotices(out);
    return { line: (message) => retries.report({ message }), end: () => undefined };
  });
  stage.say('Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)');
  expect(stage.all('notice')).toMatchObject([
    {
      message: expect.stringContaining('a time set by the provider'),
      data: { code: 'rate_limited' },
    },
  ]);
  expect(stage.givenUp).toEqual([]);
});
