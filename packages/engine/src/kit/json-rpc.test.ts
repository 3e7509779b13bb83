import { type Json, object, parseJson } from '@baton/config/values/json';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type JsonRpcOptions, JsonRpcPeer, type RpcId, readRpcMessage } from './json-rpc.ts';

const json = (message: unknown) => JSON.stringify(message);

/** A peer, with everything that it wrote and that its handlers were given. */
function peerOf(options: Partial<JsonRpcOptions> = {}) {
  const written: Json[] = [];
  const heard: unknown[] = [];
  const peer = new JsonRpcPeer({
    write: (line) => void written.push(object(parseJson(line))),
    onNotification: (method, params) => void heard.push([method, params]),
    onRequest: () => false,
    onUnmatchedResponse: (response) => void heard.push(response),
    ...options,
  });
  const answer = (name: string) => ({
    onResult: (result: Json) => void heard.push([name, 'result', result]),
    onError: (error: unknown) => void heard.push([name, 'error', error]),
  });
  return { peer, written, heard, answer };
}

describe('our requests', () => {
  test('get unique ids, and each response is matched to its request', () => {
    const { peer, written, heard, answer } = peerOf();
    peer.request('initialize', { protocolVersion: 1 }, answer('first'));
    peer.request('session/new', {}, answer('second'));
    expect(written).toEqual([
      { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: 1 } },
      { jsonrpc: '2.0', id: 2, method: 'session/new', params: {} },
    ]);
    const error = { code: -32000, message: 'Authentication required', data: { retry: false } };
    peer.receive(json({ jsonrpc: '2.0', id: 2, error }));
    peer.receive(json({ jsonrpc: '2.0', id: 1, result: { ok: true } }));
    expect(heard).toEqual([
      ['second', 'error', error],
      ['first', 'result', { ok: true }],
    ]);
  });

  test('are answered once: a second response belongs to no request', () => {
    const { peer, heard, answer } = peerOf();
    peer.request('session/new', {}, answer('asked'));
    peer.receive(json({ id: 1, result: {} }));
    peer.receive(json({ id: 1, result: {} }));
    expect(heard).toEqual([['asked', 'result', {}], { kind: 'result', id: 1, result: {} }]);
  });

  test('can follow from an answer', () => {
    const { peer, written } = peerOf();
    const onError = () => {};
    const onResult = () => peer.request('session/new', {}, { onError });
    peer.request('initialize', {}, { onResult, onError });
    peer.receive(json({ id: 1, result: null }));
    expect(written.map(({ id, method }) => [id, method])).toEqual([
      [1, 'initialize'],
      [2, 'session/new'],
    ]);
  });
});

describe('requests of the agent', () => {
  test('are answered later, under the id that the agent gave them', () => {
    const asked: RpcId[] = [];
    const { peer, written } = peerOf({ onRequest: (id) => asked.push(id) > 0 });
    peer.receive(json({ jsonrpc: '2.0', id: 'a', method: 'session/request_permission' }));
    peer.receive(json({ jsonrpc: '2.0', id: 0, method: 'fs/read_text_file' }));
    expect(written).toEqual([]);
    peer.respond(0, { content: '' });
    peer.reject('a', { code: -32603, message: 'No.' });
    expect(asked).toEqual(['a', 0]);
    expect(written).toEqual([
      { jsonrpc: '2.0', id: 0, result: { content: '' } },
      { jsonrpc: '2.0', id: 'a', error: { code: -32603, message: 'No.' } },
    ]);
  });

  test('with an unknown method are rejected', () => {
    const { peer, written } = peerOf();
    expect(peer.receive(json({ id: 7, method: 'terminal/create', params: {} }))).toBe(true);
    expect(written).toMatchObject([{ id: 7, error: { code: -32601 } }]);
  });

  test('are rejected when the handler throws, so that the agent does not wait', () => {
    const onRequest = () => {
      throw new Error('broken');
    };
    const { peer, written } = peerOf({ onRequest });
    expect(() => peer.receive(json({ id: 7, method: 'fs/read_text_file' }))).toThrow('broken');
    expect(written).toMatchObject([{ id: 7, error: { code: -32603 } }]);
  });
});

test('a long request stays open while notifications and requests of the agent pass', () => {
  const { peer, written, heard, answer } = peerOf({ onRequest: () => true });
  const update = { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk' } };
  peer.request('session/prompt', { sessionId: 's', prompt: [] }, answer('turn'));
  peer.receive(json({ jsonrpc: '2.0', method: 'session/update', params: update }));
  // The agent counts its own requests: this 1 is not the 1 of the prompt.
  peer.receive(json({ jsonrpc: '2.0', id: 1, method: 'session/request_permission', params: {} }));
  peer.respond(1, { outcome: { outcome: 'cancelled' } });
  peer.notify('session/cancel', { sessionId: 's' });
  peer.receive(json({ jsonrpc: '2.0', id: 1, result: { stopReason: 'cancelled' } }));
  expect(heard).toEqual([
    ['session/update', update],
    ['turn', 'result', { stopReason: 'cancelled' }],
  ]);
  expect(written.slice(1)).toEqual([
    { jsonrpc: '2.0', id: 1, result: { outcome: { outcome: 'cancelled' } } },
    { jsonrpc: '2.0', method: 'session/cancel', params: { sessionId: 's' } },
  ]);
});

test('the version is left out for an agent that has none', () => {
  const { peer, written } = peerOf({ omitsVersion: true });
  peer.notify('initialized');
  peer.request('thread/start', {}, { onError: () => {} });
  expect(written).toEqual([
    { method: 'initialized' },
    { id: 1, method: 'thread/start', params: {} },
  ]);
});

test('ids are text for an agent that takes no numbers', () => {
  const { peer, written } = peerOf({ textIds: true });
  let result: unknown;
  peer.request('open', {}, { onResult: (given) => (result = given), onError: () => {} });
  expect(written[0]).toMatchObject({ id: '1' });
  peer.receive('{"id":"1","result":{"ok":true}}');
  expect(result).toEqual({ ok: true });
});

describe('malformed input', () => {
  test.each([
    ['', 'nothing'],
    ['npm warn deprecated', 'text'],
    ['{"id":1,"result":', 'a line that was cut off'],
    ['[{"id":1,"result":{}}]', 'a batch'],
    ['null', 'no object'],
    ['{"id":1}', 'an id alone'],
    ['{"id":null,"error":{"code":-32700,"message":"Parse error"}}', 'an error without an id'],
    ['{"id":1,"error":"broken"}', 'an error that is no object'],
    ['{"method":7}', 'a method that is no string'],
  ])('%s is not a message: %s', (line) => {
    const { peer, written, heard, answer } = peerOf();
    peer.request('initialize', {}, answer('asked'));
    expect(peer.receive(line)).toBe(false);
    expect(written).toHaveLength(1);
    expect(heard).toEqual([]);
  });

  test('parameters and results that are not objects read as an empty one', () => {
    expect(readRpcMessage('{"method":"a","params":[1]}')).toMatchObject({ params: {} });
    expect(readRpcMessage('{"id":1,"result":null}')).toMatchObject({ result: {} });
    expect(readRpcMessage('{"id":1,"error":{}}')).toEqual({
      kind: 'error',
      id: 1,
      error: { code: undefined, message: '', data: undefined },
    });
  });

  test('a method named like something every object has is an unknown method', () => {
    const { peer, written } = peerOf();
    peer.receive(json({ id: 'toString', method: '__proto__' }));
    expect(written).toMatchObject([{ id: 'toString', error: { code: -32601 } }]);
  });
});

const id = fc.oneof(fc.integer({ min: 0, max: 5 }), fc.constantFrom('1', 'a'), fc.constant(null));
const message = fc.record(
  {
    jsonrpc: fc.constant('2.0'),
    id,
    method: fc.oneof(fc.constantFrom('session/update', 'toString'), fc.integer()),
    params: fc.jsonValue(),
    result: fc.jsonValue(),
    error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.jsonValue()),
  },
  { requiredKeys: [] },
);
const line = fc.oneof({ weight: 4, arbitrary: message.map(json) }, fc.json(), fc.string());

test('whatever the agent says: one answer per request, one rejection per unknown request', () => {
  fc.assert(
    fc.property(fc.array(line), fc.nat({ max: 4 }), (lines, requests) => {
      const { peer, written } = peerOf();
      const answers = Array.from({ length: requests }, () => 0);
      for (const index of answers.keys()) {
        const count = () => {
          answers[index] = (answers[index] ?? 0) + 1;
        };
        peer.request('session/prompt', {}, { onResult: count, onError: count });
      }
      const messages = lines.map(readRpcMessage);
      expect(lines.map((each) => peer.receive(each))).toEqual(messages.map((each) => !!each));
      const answered = answers.map((_, index) =>
        messages.some((each) => isResponse(each) && each.id === index + 1) ? 1 : 0,
      );
      expect(answers).toEqual(answered);
      const asked = messages.flatMap((each) => (each?.kind === 'request' ? [each.id] : []));
      expect(written.slice(requests).map((each) => each.id)).toEqual(asked);
    }),
  );
});

test('two peers understand each other', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string(), fc.dictionary(fc.string(), fc.jsonValue()))),
      (calls) => {
        const agent: JsonRpcPeer = new JsonRpcPeer({
          write: (each) => void client.receive(each),
          onNotification: () => {},
          onRequest: (rpcId, method, params) => {
            agent.respond(rpcId, { method, params });
            return true;
          },
        });
        const client: JsonRpcPeer = new JsonRpcPeer({
          write: (each) => void agent.receive(each),
          onNotification: () => {},
          onRequest: () => false,
        });
        for (const [method, params] of calls) {
          let result: unknown;
          const onResult = (given: Json) => {
            result = given;
          };
          client.request(method, params, { onResult, onError: () => {} });
          expect(json(result)).toEqual(json({ method, params }));
        }
      },
    ),
  );
});

function isResponse(each: ReturnType<typeof readRpcMessage>) {
  return each?.kind === 'result' || each?.kind === 'error';
}
