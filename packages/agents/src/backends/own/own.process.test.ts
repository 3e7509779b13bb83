import { OWN_DIALECTS, type OwnDialect, readOwnAgent } from '@baton/config/settings/own-agents';
import { describe, expect, onTestFinished, test } from 'vitest';
import { conformanceCases } from '../../../../agent-tools/src/conformance/index.ts';
import { all, finish } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { standInSubject, standInWorld } from '../../testing/stand-in/stand-in.ts';
import { ownEntry } from './index.ts';

/** The cases that an agent of every dialect must pass; those of plain text are fewer. */
const CASES = [
  'streams the answer in order and gives it whole',
  'shows a command with its output',
  'shows a command that fails as an error and goes on',
  'shows an edit with its path and really makes it',
  'allow-all: nothing is asked',
  'resume goes on with the same session in a new process',
  'cancel in the middle of a command: nothing survives',
  'a provider that answers rate_limited fails the run with its code',
  'a program that prints garbage gives output_unreadable or output_truncated',
  'a prompt that begins with a dash is taken',
];
const PRINTED = (Object.keys(OWN_DIALECTS) as OwnDialect[]).filter(
  (dialect) => dialect !== 'acp' && dialect !== 'plain',
);

function entryOf(value: object) {
  return ownEntry(readOwnAgent('mine', { label: 'Mine', ...value }, 'config.json'));
}

describe.each(PRINTED)('an own agent that prints %s', async (dialect) => {
  const capabilities = OWN_DIALECTS[dialect].filter((name) =>
    ['streaming', 'usage'].includes(name),
  );
  const entry = entryOf({ command: 'mine', dialect, resume: '--resume {session}', capabilities });
  const subject = await standInSubject(entry, dialect, { permissionMode: 'allow-all' });
  const cases = conformanceCases({
    ...subject,
    // The stand-in prints whole messages.
    capabilities: {
      ...subject.backend.capabilities,
      features: { ...subject.backend.capabilities.features, streaming: false },
    },
    failures: ['rate_limited'],
  }).filter(({ name, skip }) => skip === undefined && CASES.includes(name));
  for (const { name, run } of cases) test(name, run);
});

describe('an own agent that prints plain text', async () => {
  const entry = entryOf({ command: 'mine', dialect: 'plain', capabilities: ['streaming'] });
  const { backend } = await standInSubject(entry, 'plain');

  test('answers with what it prints', async () => {
    const { cwd, options, dispose } = await standInWorld({ permissionMode: 'allow-all' });
    onTestFinished(dispose);
    const { result } = await finish(backend.run({ ...options, cwd, prompt: 'Hello there' }));
    expect(result).toMatchObject({ outcome: 'done', output: 'Hello there' });
  });

  test('fails with its own name and words', async () => {
    const { cwd, options, dispose } = await standInWorld({ permissionMode: 'allow-all' });
    onTestFinished(dispose);
    const prompt = `[[${JSON.stringify([{ fail: 'quota' }])}]]`;
    const { result } = await finish(backend.run({ ...options, cwd, prompt }));
    expect(result.error?.message).toContain('quota');
  });
});

test('an own agent that speaks the protocol asks', async () => {
  const { backend } = await standInSubject(
    entryOf({ command: 'mine', dialect: 'acp' }),
    'cursor acp',
  );
  const { cwd, options, dispose } = await standInWorld();
  onTestFinished(dispose);
  const prompt = `[[${JSON.stringify([{ shell: 'touch made.txt' }, { say: 'Made.' }])}]]`;
  const onRequest = () => ({ decision: 'allow' as const });
  const { events, result } = await finish(
    backend.run({ ...options, cwd, prompt, permissionMode: 'ask', onRequest }),
  );
  expect(all(events, 'permission.requested').length).toBe(1);
  expect(result.output).toBe('Made.');
});
