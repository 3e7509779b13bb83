import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { all, type Finished } from '../../../../agent-tools/src/conformance/stage/stage.ts';
import { configure, ECHO, Playground, say, shell, write } from './testing/playground.ts';

const ground = new Playground();

describe.concurrent('the print transport', () => {
  test.for(['stream-json', 'json', 'text'])('answers in %s', async (outputFormat) => {
    const { result, events } = await ground.run([{ text: 'Printed.' }], {
      transport: 'print',
      providerOptions: { outputFormat },
    });
    expect(result).toMatchObject({ outcome: 'done', output: 'Printed.', exitCode: 0 });
    expect(all(events, 'unparsed')).toEqual([]);
  });

  test('ask: denies what would be asked for, whatever the settings of the user allow', async () => {
    const place = await ground.place();
    const allowed = ['Bash', 'Write', 'mcp__echo__say'];
    await configure(place, 'settings.json', { permissions: { allow: allowed } });
    const ended = await ground.play(place, {
      prompt: ground.prompt([shell('echo hi'), write('a.txt'), say('hi'), { text: 'Tried.' }]),
      transport: 'print',
      mcpConfig: { mcpServers: { echo: ECHO } },
      settings: { env: { SOME: 'value' } },
    });
    expect(outcomes(ended)).toEqual(['denied', 'denied', 'denied']);
    const told = all(ended.events, 'notice').find(({ code }) => code === 'option_emulated');
    expect(told?.message).toBe(
      'claude -p cannot ask: in mode "ask", everything that needs approval is denied.',
    );
    expect(existsSync(join(place.cwd, 'a.txt'))).toBe(false);
  });

  test('auto: edits in the workspace pass, commands are denied unless the caller allowed them', async () => {
    const steps = [write('a.txt'), shell('touch b.txt'), { text: 'Tried.' }];
    const auto = { transport: 'print', permissionMode: 'auto' } as const;
    expect(outcomes(await ground.run(steps, auto))).toEqual(['ok', 'denied']);
    const allowing = { ...auto, tools: { allowed: ['Bash'] } };
    expect(outcomes(await ground.run(steps, allowing))).toEqual(['ok', 'ok']);
  });

  test('a conversation continues in the same session', async () => {
    const options = { transport: 'print', sessionId: crypto.randomUUID() };
    await ground.converse(options, async (conversation) => {
      const one = await ground.turn(conversation, [{ text: 'One.' }]);
      const two = await ground.turn(conversation, [{ text: 'Two.' }]);
      expect([one.result.output, two.result.output]).toEqual(['One.', 'Two.']);
      expect(two.result.nativeSessionId).toBe(one.result.nativeSessionId);
    });
  });

  test.for([
    ['are long', '', 'x'.repeat(500_000)],
    ['begin with a dash', '-p ', ''],
  ] as const)('takes prompts that %s', async ([_name, before, after]) => {
    const prompt = `${before}${ground.prompt([{ text: 'Taken.' }])} ${after}`;
    const { result } = await ground.play(await ground.place(), { prompt, transport: 'print' });
    expect(result).toMatchObject({ outcome: 'done', output: 'Taken.' });
  });
});

function outcomes({ events }: Finished): string[] {
  return all(events, 'tool.completed').map(({ outcome }) => outcome);
}
