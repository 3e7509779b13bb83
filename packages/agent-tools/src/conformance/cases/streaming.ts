import assert from 'node:assert/strict';
import { all, assertDone, capabilitiesOf, first, inWorld, lacking } from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject } from '../stage/subject.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. Grüße, 日本語, 👩‍🚀';

/** Text and thinking are complete, in order, and streamed. */
export function streamingCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features } = capabilitiesOf(subject);
  const text = subject.losesLineSeparators ? WORDS : `${WORDS} and \u2028 too.`;
  return [
    {
      name: 'streams the answer in order and gives it whole',
      proves: ['streaming', 'cwd', 'env'],
      run: () =>
        inWorld(subject, async (stage) => {
          const run = await stage.run([{ say: text }]);
          assertDone(run);
          assert.equal(run.result.output, text);
          const deltas = all(run.events, 'message.delta').filter(({ kind }) => kind === 'text');
          assert.equal(deltas.map((delta) => delta.text).join(''), text);
          if (features.streaming) assert.ok(deltas.length > 1, 'The text came in one piece.');
        }),
    },
    {
      name: 'names backend, transport and folder first, and the native session early',
      run: () =>
        inWorld(subject, async (stage) => {
          const { events, result } = await stage.run([{ say: 'Hello.' }]);
          const started = first(events, 'run.started');
          assert.equal(started.backend, subject.backend.id);
          assert.equal(started.cwd, stage.cwd);
          if (!features.resume) return;
          const identified = events.findIndex(({ type }) => type === 'run.identified');
          const spoken = events.findIndex(({ type }) => type === 'message.started');
          assert.ok(
            identified > 0 && identified < spoken,
            'The session was not named before the first message.',
          );
          assert.equal(result.nativeSessionId, first(events, 'run.identified').nativeSessionId);
        }),
    },
    {
      name: 'keeps thinking apart from the answer',
      proves: ['thinking'],
      skip: features.thinking ? lacking(subject, 'think') : 'the agent shows no thinking',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = await stage.run([{ think: 'Let me see.' }, { say: 'I see.' }]);
          assertDone(run);
          const thoughts = all(run.events, 'message.completed').filter(
            ({ kind }) => kind === 'thinking',
          );
          assert.ok(thoughts.some(({ text }) => text.includes('Let me see.')));
          assert.equal(run.result.output, 'I see.');
        }),
    },
    {
      name: 'reports what the run consumed',
      proves: ['usage'],
      skip: features.usage ? undefined : 'the agent reports no usage',
      run: () =>
        inWorld(subject, async (stage) => {
          const { result } = await stage.run([{ say: 'One two three.' }]);
          assert.ok((result.usage?.outputTokens ?? 0) > 0, 'There is no usage.');
        }),
    },
    {
      name: 'gives the result to somebody who does not look at the events',
      run: () =>
        inWorld(subject, async (stage) => {
          const result = await stage.start([{ say: text }]).collect();
          assert.equal(result.outcome, 'done', JSON.stringify(result.error));
          assert.equal(result.output, text);
        }),
    },
  ];
}
