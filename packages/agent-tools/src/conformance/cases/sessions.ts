import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { all, assertDone, capabilitiesOf, finish, inWorld, lacking } from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject } from '../stage/subject.ts';

/** Minutes from the start of the session to each resume: some at once, some in later minutes. */
const MINUTES_AHEAD = [0, 0, 0, 1, 2, 2];

/** Prompts follow one another, sessions are found again. */
export function sessionCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features, options } = capabilitiesOf(subject);
  return [
    {
      name: 'one conversation takes one prompt after another in one session',
      proves: ['conversation'],
      skip: features.conversation || features.resume ? undefined : 'every prompt is a session',
      run: () =>
        inWorld(subject, async (stage) => {
          const conversation = await subject.backend.open(stage.options());
          const one = await finishOpen(conversation.run(subject.prompt([{ say: 'One.' }])));
          const two = await finishOpen(conversation.run(subject.prompt([{ say: 'Two.' }])));
          assert.deepEqual([one.output, two.output], ['One.', 'Two.']);
          assert.equal(
            one.nativeSessionId ?? conversation.nativeSessionId,
            conversation.nativeSessionId,
          );
          assert.throws(() => conversation.run(''), { code: 'usage' });
          await conversation.close();
          assert.throws(() => conversation.run('more'), { code: 'usage' });
        }),
    },
    {
      name: 'resume goes on with the same session in a new process',
      proves: ['resume'],
      skip: features.resume ? undefined : 'the agent cannot resume',
      run: () =>
        inWorld(subject, async (stage) => {
          const before = await stage.run([{ say: 'Remember me.' }]);
          assertDone(before);
          const resume = before.result.nativeSessionId;
          assert.ok(resume);
          const after = await stage.run([{ say: 'I do.' }], { resume });
          assertDone(after);
          assert.equal(after.result.nativeSessionId, resume);
        }),
    },
    {
      name: 'a session resumed six times still knows every prompt',
      proves: ['resume'],
      skip: features.resume ? undefined : 'the agent cannot resume',
      run: () =>
        inWorld(subject, async (stage) => {
          const first = subject.prompt([{ say: 'Prompt 0.' }]);
          const prompts = [first];
          const before = await stage.run([], { prompt: first });
          assertDone(before);
          const resume = before.result.nativeSessionId;
          for (const [index, minutes] of MINUTES_AHEAD.entries()) {
            const env = stage.world.later?.(minutes);
            // A session beside it must not cost it anything either.
            if (minutes === 2) assertDone(await stage.run([{ say: 'Another session.' }], { env }));
            const prompt = subject.prompt([{ say: `Prompt ${index + 1}.` }]);
            prompts.push(prompt);
            const after = await stage.run([], { prompt, resume, env });
            assertDone(after);
            assert.equal(after.result.output, `Prompt ${index + 1}.`);
            assert.equal(after.result.nativeSessionId, resume);
          }
          const requests = subject.modelRequests?.();
          if (!requests) return;
          const last = prompts.at(-1) ?? '';
          const asked = requests.filter((request) => request.includes(textOf(last)));
          const known = asked.map((request) =>
            prompts.filter((prompt) => request.includes(textOf(prompt))),
          );
          assert.ok(
            known.some(({ length }) => length === prompts.length),
            `The last prompt reached the model with: ${JSON.stringify(known)}`,
          );
        }),
    },
    {
      name: 'resume of a session that does not exist fails with session_not_found',
      skip: features.resume ? undefined : 'the agent cannot resume',
      run: () =>
        inWorld(subject, async (stage) => {
          for (const resume of ['01234567-89ab-4def-8123-456789abcdef', 'no-such-session']) {
            const { result } = await stage.run([{ say: 'Who?' }], { resume });
            assert.equal(result.outcome, 'failed');
            assert.equal(result.error?.code, 'session_not_found', JSON.stringify(result.error));
          }
        }),
    },
    {
      name: 'a new session gets the id that it is given',
      proves: ['sessionId'],
      skip: options.sessionId.support === 'unsupported' ? 'it names its sessions' : undefined,
      run: () =>
        inWorld(subject, async (stage) => {
          const sessionId = randomUUID();
          const run = await stage.run([{ say: 'Named.' }], { sessionId });
          assertDone(run);
          assert.equal(run.result.nativeSessionId, sessionId);
        }),
    },
    {
      name: 'fork goes on in a copy with a name of its own',
      proves: ['fork'],
      skip: features.fork ? undefined : 'the agent cannot fork',
      run: () =>
        inWorld(subject, async (stage) => {
          const before = await stage.run([{ say: 'The original.' }]);
          const after = await stage.run([{ say: 'The copy.' }], {
            resume: before.result.nativeSessionId,
            fork: true,
          });
          assertDone(after);
          assert.ok(after.result.nativeSessionId);
          assert.notEqual(after.result.nativeSessionId, before.result.nativeSessionId);
        }),
    },
    {
      name: 'steering is taken while the agent works',
      proves: ['steer'],
      skip: features.steer ? lacking(subject, 'shell') : 'the agent cannot be steered',
      run: () =>
        inWorld(subject, async (stage) => {
          const run = stage.start([{ shell: 'touch steered.txt; sleep 1' }, { say: 'Noted.' }], {
            onRequest: () => ({ decision: 'allow' }),
          });
          let steered = false;
          const ended = await finish(run, async (event) => {
            if (event.type !== 'tool.started' || steered) return;
            steered = true;
            await run.steer('Also consider this.');
          });
          assertDone(ended);
          assert.ok(all(ended.events, 'notice').some(({ code }) => code === 'steered'));
        }),
    },
  ];
}

async function finishOpen(run: ReturnType<ConformanceSubject['backend']['run']>) {
  for await (const _event of run);
  const result = await run.result;
  assert.equal(result.outcome, 'done', JSON.stringify(result.error));
  return result;
}

/** A text as it stands in a request of the model, which is JSON. */
function textOf(prompt: string): string {
  return JSON.stringify(prompt).slice(1, -1);
}
