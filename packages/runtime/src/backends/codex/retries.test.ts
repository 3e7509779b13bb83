import { expect, test } from 'vitest';
import { execDialect } from './exec-dialect.ts';
import { Retries } from './retries.ts';
import { item, running, told } from './testing/app-server-stage.ts';
import { DialectStage } from './testing/dialect-stage.ts';

const NO_NETWORK = {
  message: 'Reconnecting... waiting for network',
  codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } },
  additionalDetails: 'Connection failed: error sending request',
};
const waiting = told('error', { error: NO_NETWORK, willRetry: true, turnId: 'turn' });
const printed = {
  type: 'error',
  message: 'Reconnecting... waiting for network (Connection failed: error sending request)',
};
const four = <Line>(line: Line) => [line, line, line, line];

test('the fourth wait for a network in a row is the last', () => {
  const stage = running().say(waiting, waiting, waiting);
  expect(stage.givenUp).toEqual([]);
  stage.say(waiting);
  expect(stage.givenUp).toMatchObject([
    { code: 'network_unreachable', message: expect.stringContaining('error sending request') },
  ]);
  expect(stage.all('notice').map(({ code }) => code)).toEqual(four('retry'));
});

test('codex exec is given up as well', () => {
  const stage = new DialectStage((out) => execDialect(out)).say(...four(printed));
  expect(stage.givenUp).toMatchObject([{ code: 'network_unreachable' }]);
});

test('waits are counted anew after an answer of the model and in another turn', () => {
  const message = { type: 'agentMessage', id: 'one', text: 'Hello.' };
  const stage = running().say(waiting, waiting, waiting, item('completed', message));
  expect(stage.say(waiting, waiting, waiting).givenUp).toEqual([]);
  const recording = new DialectStage((out) => execDialect(out)).say(printed, printed, printed);
  recording.say({ type: 'item.completed', item: { id: 'i', type: 'reasoning', text: 'Hm.' } });
  expect(recording.say(printed, printed, printed).givenUp).toEqual([]);
});

test('a retry after a rate limit says that its time is not known', () => {
  const stage = new DialectStage((out) => {
    const retries = new Retries(out);
    return { line: (message) => retries.take({ message }), end: () => undefined };
  });
  stage.say('Reconnecting... 1/5 (exceeded retry limit, last status: 429 Too Many Requests)');
  expect(stage.all('notice')).toMatchObject([
    { message: expect.stringContaining('does not say how long'), data: { code: 'rate_limited' } },
  ]);
  expect(stage.givenUp).toEqual([]);
});
