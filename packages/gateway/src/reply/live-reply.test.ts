import { type AgentEvent, BatonError } from '@baton/protocol';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ScriptedChannel, type ScriptedChannelOptions } from '../testing/scripted-channel.ts';
import { EVENT, testTurn } from '../testing/turn.ts';
import { LiveReply } from './live-reply.ts';

const NEVER_MS = 600_000;

/** A reply whose first draft comes at once, unless told otherwise. */
function world(options: ScriptedChannelOptions = {}, firstDraftMs = 1) {
  const adapter = new ScriptedChannel(options);
  const turn = testTurn();
  const warnings: string[] = [];
  const log = { warn: (warning: string) => void warnings.push(warning) };
  const live = new LiveReply({ adapter, event: EVENT, turn, log, firstDraftMs });
  onTestFinished(() => live.end());
  const say = (text: string) => live.see(delta(text));
  const shows = (...texts: string[]) =>
    vi.waitFor(() => expect(adapter.texts()).toEqual(texts.map((text) => text)));
  const kinds = () => adapter.calls.map(({ kind }) => kind);
  return { adapter, turn, warnings, live, say, shows, kinds };
}

function delta(text: string): AgentEvent {
  return {
    ...{ type: 'message.delta', seq: 1, time: 1, runId: 'r' },
    ...{ messageId: 'a', kind: 'text', text },
  };
}

function unavailable(): BatonError {
  return new BatonError('provider_error', 'The platform is down.');
}

describe('a live reply', () => {
  test('sends no draft for a quick answer', async () => {
    const { live, say, adapter } = world({}, NEVER_MS);
    say('Hello');
    await live.end();
    expect(adapter.calls).toEqual([]);
  });

  test('edits its draft as the text grows', async () => {
    const { live, say, shows, adapter, turn, kinds } = world();
    say('Hello');
    await shows('Hello');
    say(', world');
    await shows('Hello, world');
    await live.end();
    expect(kinds().filter((kind) => kind === 'send')).toHaveLength(1);
    expect(adapter.shown()).toMatchObject([{ isDraft: true, replyTo: EVENT.messageId }]);
    expect(turn.sent).toEqual([adapter.shown()[0]?.id]);
  });

  test('sends nothing when the text has not changed', async () => {
    const { live, say, shows, adapter } = world();
    say('Hello');
    await shows('Hello');
    live.see({ ...delta('thinking'), kind: 'thinking' } as AgentEvent);
    live.see({ ...delta('\n') });
    say('More');
    await shows('Hello\nMore');
    await live.end();
    expect(new Set(adapter.calls.map((call) => 'text' in call && call.text)).size).toBe(
      adapter.calls.length,
    );
  });

  test('sends nothing after its end, and waits for what is being sent', async () => {
    const { live, say, adapter, kinds } = world();
    const release = adapter.hold('send');
    say('Hello');
    await vi.waitFor(() => expect(kinds()).toEqual(['send']));
    const ended = live.end();
    say(', world');
    release();
    await ended;
    expect(adapter.texts()).toEqual(['Hello']);
    expect(kinds()).toEqual(['send']);
  });

  test('marks a draft as unconfirmed before it is sent', async () => {
    const { say, adapter, turn, kinds } = world();
    const release = adapter.hold('send');
    say('Hello');
    await vi.waitFor(() => expect(kinds()).toEqual(['send']));
    expect(turn.sent).toEqual(['']);
    release();
    await vi.waitFor(() => expect(turn.sent).toEqual([adapter.shown()[0]?.id]));
  });

  test('continues the draft of an earlier process', async () => {
    const adapter = new ScriptedChannel();
    const id = await adapter.send(EVENT.channelId, { text: 'Hel', isDraft: true }, 'turn0');
    const log = { warn: () => {} };
    const live = new LiveReply({
      adapter,
      event: EVENT,
      turn: testTurn([id]),
      log,
      firstDraftMs: 1,
    });
    live.see(delta('Hello'));
    await vi.waitFor(() => expect(adapter.texts()).toEqual(['Hello']));
    await live.end();
  });

  test('goes on after a failure that passes, and warns once', async () => {
    const { live, say, shows, adapter, warnings } = world();
    adapter.fail('send', unavailable());
    say('Hello');
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    adapter.fail('send', unavailable());
    say(', you');
    await vi.waitFor(() => expect(adapter.calls).toHaveLength(2));
    say('.');
    await shows('Hello, you.');
    await live.end();
    expect(warnings).toEqual([
      'Cannot show in the chat that the agent works: The platform is down.',
    ]);
  });

  test('gives up drafts after another failure, without failing', async () => {
    const { live, say, adapter, warnings } = world();
    adapter.fail('send', new BatonError('forbidden', 'No permission.'));
    say('Hello');
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    say('More');
    await live.end();
    expect(adapter.calls).toHaveLength(1);
  });

  test('renews the typing indicator until its end', async () => {
    const { live, kinds } = world({ limits: { typingMs: 1 } });
    await vi.waitFor(() => expect(kinds().length).toBeGreaterThan(3));
    await live.end();
    const count = kinds().length;
    await live.end();
    expect(kinds()).toHaveLength(count);
    expect(new Set(kinds())).toEqual(new Set(['typing']));
  });

  test('ends although the typing indicator would have to be renewed much later', async () => {
    const { live, kinds } = world({ limits: { typingMs: NEVER_MS } });
    await live.end();
    expect(kinds()).toEqual(['typing']);
  });

  test('shows nothing of an attempt that is void', async () => {
    const { live, say, shows } = world();
    say('First try');
    await shows('First try');
    live.restart();
    say('Second');
    await shows('Second');
  });
});
