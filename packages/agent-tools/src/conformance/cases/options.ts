import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunInput } from '@baton/engine/definition/backend';
import type { OptionName } from '@baton/protocol/values';
import { all, assertDone, capabilitiesOf, inWorld, lacking, type Stage } from '../stage/stage.ts';
import type { ConformanceCase, ConformanceSubject, Proved, ScriptStep } from '../stage/subject.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Signature and header of the image in Base64: 33 bytes. Some agents encode the rest again. */
const PIXEL_HEADER = PIXEL.slice(0, 44);

/** Options reach the model behind the agent. */
export function optionCases(subject: ConformanceSubject): ConformanceCase[] {
  const { features, options, permissionModes } = capabilitiesOf(subject);
  const noTurns = features.maxTurns ? lacking(subject, 'shell') : 'the turns cannot be limited';
  const skipUnless = (option: OptionName) =>
    options[option].support === 'unsupported' ? `it does not take ${option}` : undefined;
  const reaches = (name: string, { proves, skip, more, isIn }: Reaching): ConformanceCase => ({
    name,
    // Without a look at the requests it only shows that the option is taken.
    proves: subject.modelRequests ? proves : [],
    skip,
    run: () =>
      inWorld(subject, async (stage) => {
        const before = subject.modelRequests?.().length ?? 0;
        const run = await stage.run([{ say: 'Aye.' }], more(stage));
        assertDone(run);
        assert.equal(run.result.output, 'Aye.');
        const asked = subject.modelRequests?.().slice(before);
        if (asked)
          assert.ok(
            asked.some((each) => isIn(each)),
            'It is in no request to the model.',
          );
      }),
  });
  return [
    reaches('the system prompt reaches the model', {
      proves: ['systemPrompt'],
      skip: skipUnless('systemPrompt'),
      more: () => ({ systemPrompt: 'Speak like a sailor.' }),
      isIn: (request) => request.includes('Speak like a sailor.'),
    }),
    reaches('the model of a run is the one that is asked', {
      proves: ['model'],
      skip: subject.model ? skipUnless('model') : 'no other model is known',
      more: () => ({ model: subject.model }),
      isIn: (request) => request.includes(subject.model ?? ''),
    }),
    reaches('an image reaches the model', {
      proves: ['images'],
      skip: features.images ? skipUnless('images') : 'it takes no images',
      more: (stage) => {
        writeFileSync(join(stage.cwd, 'dot.png'), Buffer.from(PIXEL, 'base64'));
        return { images: [{ path: 'dot.png' }] };
      },
      isIn: (request) => request.includes(PIXEL_HEADER),
    }),
    reaches('an MCP server is offered to the model', {
      proves: ['mcp', 'mcpConfig'],
      skip: subject.mcpServer && features.mcp ? skipUnless('mcpConfig') : 'it takes no MCP servers',
      more: () => {
        const { mcpServer = { command: '' } } = subject;
        return { mcpConfig: { mcpServers: { talking_parrot: mcpServer } } };
      },
      // Some agents give the model only the name of the server at first.
      isIn: (request) => request.includes('talking_parrot'),
    }),
    {
      name: 'a new system prompt reaches a resumed session, or the run says that it does not',
      skip: features.resume ? skipUnless('systemPrompt') : 'the agent cannot resume',
      run: () =>
        inWorld(subject, async (stage) => {
          const words = { one: 'Speak like a pirate-1.', two: 'Speak like a monk-2.' };
          const before = await stage.run([{ say: 'Aye.' }], { systemPrompt: words.one });
          const resume = before.result.nativeSessionId;
          // A session that keeps its first one is told the others, each once: going back is a change too.
          for (const [now, other, more] of [
            [words.one, words.two, 1],
            [words.two, words.one, 0],
            [words.one, words.two, 1],
          ] as const) {
            const prompt = subject.prompt([{ say: 'Aye.' }]);
            const run = await stage.run([], { prompt, resume, systemPrompt: now });
            assertDone(run);
            if (all(run.events, 'notice').some(({ code }) => code === 'option_ignored')) return;
            const asked = subject.modelRequests?.().filter((each) => each.includes(prompt)) ?? [];
            const told = asked.map((each) => [countOf(each, now), countOf(each, other)] as const);
            const isTold = told.some(([count, others]) => count >= Math.max(others + more, 1));
            assert.ok(isTold || asked.length === 0, `${now} is in the requests ${told}`);
          }
        }),
    },
    {
      name: 'ask: no tool of a turn after the last one runs',
      proves: ['maxTurns'],
      skip: features.permissions ? noTurns : 'nobody is asked',
      run: () => runsOutOfTurns(subject, { permissionMode: 'ask' }, [...TOUCHES, { say: 'Done.' }]),
    },
    {
      // The model does not answer again: the run must end before.
      name: 'allow-all: a run ends with the tools of its last turn',
      proves: ['maxTurns'],
      skip: permissionModes.includes('allow-all')
        ? (noTurns ?? lacking(subject, 'hang'))
        : 'it does not have the mode',
      run: () =>
        runsOutOfTurns(
          subject,
          { ...subject.allowAll, permissionMode: 'allow-all', trusted: true },
          [...TOUCHES.slice(0, 2), { hang: true }],
        ),
    },
  ];
}

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}

const TOUCHES: readonly ScriptStep[] = [1, 2, 3, 4].map((count) => ({
  shell: `touch turn-${count}`,
}));

/** Runs steps that need more than two turns, with two allowed. */
function runsOutOfTurns(
  subject: ConformanceSubject,
  options: Partial<RunInput>,
  steps: readonly ScriptStep[],
): Promise<void> {
  return inWorld(subject, async (stage) => {
    const onRequest = () => ({ decision: 'allow' as const });
    const { result } = await stage.run(steps, { ...options, maxTurns: 2, onRequest });
    assert.equal(result.error?.code, 'max_turns', JSON.stringify(result));
    const made = readdirSync(stage.cwd).filter((name) => name.startsWith('turn-'));
    assert.deepEqual(made.toSorted(), ['turn-1', 'turn-2']);
    if (subject.countsStopped) assert.ok(result.usage?.totalTokens, JSON.stringify(result.usage));
  });
}

type Reaching = {
  proves: readonly Proved[];
  skip: string | undefined;
  more(stage: Stage): Partial<RunInput>;
  /** True if a request to the model contains it. */
  isIn(request: string): boolean;
};
