#!/usr/bin/env node
// An imaginary agent, as somebody else may have written it. It takes one prompt on standard input and prints one JSON
// object a line. A prompt that contains a JSON list of steps does them; it repeats every other prompt.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const say = (words) => {
  for (const piece of words.match(/\s*\S+\s*/g) ?? []) print({ type: 'text', text: piece });
};

async function shell(command) {
  const id = randomUUID();
  print({ type: 'tool', id, tool: 'shell', input: { command } });
  const child = spawn('/bin/sh', ['-c', command]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data) => {
      output += data;
    });
  }
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  print({ type: 'tool_result', id, ok: exitCode === 0, output, exitCode });
}

function write({ path, content }) {
  const id = randomUUID();
  print({ type: 'tool', id, tool: 'write_file', input: { path, content } });
  writeFileSync(path, content);
  print({ type: 'tool_result', id, ok: true, output: '' });
}

const prompt = await text(process.stdin);
const steps = /\[\{.*\}\]/s.exec(prompt)?.[0];
for (const step of steps ? JSON.parse(steps) : [{ say: prompt }]) {
  if (step.say) say(step.say);
  if (step.shell) await shell(step.shell);
  if (step.write) write(step.write);
  if (step.fail === 'rate_limited')
    print({ type: 'error', status: 429, message: 'Too many words' });
  if (step.fail) process.exit(1);
  if (step.hang) await new Promise((resolve) => setTimeout(resolve, 2 ** 30));
}
print({ type: 'done' });
