import { PassThrough } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { PromptLine } from './prompt-line.ts';
import { VirtualTerminal } from './testing/virtual-terminal.ts';

test('takes input and marks pastes again after the process was suspended', async () => {
  const output = new VirtualTerminal(20, 10);
  const input = new PassThrough();
  const prompt = new PromptLine({ input, output });
  onTestFinished(() => prompt.close());
  prompt.next({ isContinued: false });
  // What the shell and readline do when the process is suspended and continued.
  output.show('\u001b[?2004l\n\r');
  prompt.lines.pause();
  prompt.lines.emit('SIGCONT');
  expect(output.marksPastes).toBe(true);
  expect(output.lines).toEqual(['>', '>']);
  const line = new Promise((resolve) => prompt.lines.once('line', resolve));
  input.write('hi\r');
  expect(await line).toBe('hi');
});
