import type { NormalizedConversation, NormalizedEntry } from '@baton/protocol';
import { applyPatch } from 'rfc6902';
import { expect, onTestFinished, test } from 'vitest';
import { type SeedExecutor, seedExecutor } from '../testing/seed-executor.ts';
import { type TestDaemon, testDaemon } from '../testing/test-daemon.ts';

/** Reads a stream of server-sent events as a page would, and keeps the conversation. */
class Reader {
  conversation: NormalizedConversation = { entries: [] };
  names: string[] = [];
  #messages: AsyncIterator<string>;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#messages = split(body);
  }

  static async open(daemon: TestDaemon, sessionId: string, as: string): Promise<Reader> {
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const response = await fetch(`${daemon.daemon.url}/sessions/${sessionId}/conversation`, {
      headers: { Authorization: `Bearer ${as}` },
      signal: abort.signal,
    });
    expect(response.headers.get('Content-Type')).toContain('text/event-stream');
    if (!response.body) throw new Error('The response has no body.');
    return new Reader(response.body);
  }

  async next(): Promise<void> {
    const { value, done } = await this.#messages.next();
    if (done) throw new Error('The stream has ended.');
    const [, name = '', , data = 'null'] = /^event: (.*)\nid: (.*)\ndata: (.*)$/.exec(value) ?? [];
    this.names.push(name);
    if (name === 'snapshot') this.conversation = JSON.parse(data);
    else expect(applyPatch(this.conversation, JSON.parse(data)).filter(Boolean)).toEqual([]);
  }

  /** Reads on until an entry fits. */
  async until(fits: (entries: readonly NormalizedEntry[]) => boolean): Promise<void> {
    while (!fits(this.conversation.entries)) await this.next();
  }
}

async function* split(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = messages.pop() ?? '';
    yield* messages;
  }
}

function textOf(entry: NormalizedEntry | undefined): string | undefined {
  return entry && 'content' in entry ? entry.content.join('') : undefined;
}

const has = (text: string) => (entries: readonly NormalizedEntry[]) =>
  entries.some((entry) => textOf(entry) === text);

test('streams a snapshot, then patches', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  await executor.say('Before.');
  const reader = await Reader.open(daemon, executor.sessionId, daemon.tokens.viewer);
  await reader.next();
  expect(reader.names).toEqual(['snapshot']);
  expect(reader.conversation.entries.map(textOf)).toContain('Before.');
  await executor.stream('m', 'Grow');
  await reader.until(has('Grow'));
  await executor.stream('m', 'ing.');
  await reader.until(has('Growing.'));
  await executor.end('COMPLETED');
  expect(new Set(reader.names.slice(1))).toEqual(new Set(['patch']));
});

test('brings a long conversation in parts that add up', async () => {
  const daemon = await testDaemon();
  const executor = await seedExecutor(daemon);
  await report(executor, 1500);
  const reader = await Reader.open(daemon, executor.sessionId, daemon.tokens.viewer);
  await reader.until(has('Line 1499'));
  expect(reader.names).toEqual(['snapshot', 'patch']);
  const lines = reader.conversation.entries.map(textOf).filter((text) => text?.startsWith('Line'));
  expect(lines).toEqual(Array.from({ length: 1500 }, (_, index) => `Line ${index}`));
});

test('refuses callers without a token, and unknown sessions', async () => {
  const daemon = await testDaemon();
  const sessionId = await daemon.session();
  const path = `/sessions/${sessionId}/conversation`;
  expect(await daemon.call('GET', path, { as: '' })).toMatchObject({ status: 401 });
  const none = await daemon.call('GET', '/sessions/none/conversation');
  expect(none).toMatchObject({ status: 404, body: { message: 'Session "none" not found.' } });
});

test('ends the stream when the token is revoked', async () => {
  const daemon = await testDaemon();
  const { sessionId } = await seedExecutor(daemon);
  const { body: token } = await daemon.call('POST', '/tokens', {
    body: { name: 't', role: 'viewer' },
  });
  const reader = await Reader.open(daemon, sessionId, String(token.secret));
  await reader.next();
  await daemon.call('DELETE', `/tokens/${token.token_id}`);
  await daemon.call('POST', `/sessions/${sessionId}/executeTask`, { body: { prompt: 'Secret' } });
  await expect(reader.next()).rejects.toThrow();
  expect(JSON.stringify(reader.conversation)).not.toContain('Secret');
});

/** Reports a run that says some lines. */
async function report(executor: SeedExecutor, lines: number): Promise<void> {
  const of = { runId: 'r', time: 1 };
  const events = Array.from({ length: lines }, (_, index) => ({
    ...of,
    seq: index + 2,
    type: 'message.completed',
    messageId: `m${index}`,
    kind: 'text',
    text: `Line ${index}`,
  }));
  const started = { ...of, seq: 1, type: 'run.started', backend: 'demo', transport: 'x', cwd: '/' };
  await executor.call('POST', '/messages/append', { events: [started, ...events] });
}
