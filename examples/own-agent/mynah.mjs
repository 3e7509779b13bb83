#!/usr/bin/env node
// A small agent in the place of yours. It repeats its prompt, remembers what it was told in a session, and can run a
// command: "run: ls". It prints the lines of Claude Code's stream-json.
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const resumed = process.argv[process.argv.indexOf('--resume') + 1];
const session_id = process.argv.includes('--resume') ? resumed : randomUUID();
const folder = join(homedir(), '.mynah');
const memory = join(folder, session_id);
if (session_id === resumed && !existsSync(memory)) {
  process.stderr.write(`Session ${session_id} not found\n`);
  process.exit(1);
}

const print = (line) => process.stdout.write(`${JSON.stringify({ ...line, session_id })}\n`);
const say = (content) => print({ type: 'assistant', message: { role: 'assistant', content } });

const prompt = (await text(process.stdin)).trim();
mkdirSync(folder, { recursive: true });
appendFileSync(memory, `${prompt}\n`);
print({ type: 'system', subtype: 'init', model: 'mynah-1' });

const command = /^run: (.+)$/m.exec(prompt)?.[1];
if (command) {
  say([{ type: 'tool_use', id: 'call-1', name: 'Bash', input: { command } }]);
  const { status, stdout } = spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' });
  const content = status === 0 ? stdout : `Exit code ${status}\n${stdout}`;
  const result = { type: 'tool_result', tool_use_id: 'call-1', content, is_error: status !== 0 };
  print({ type: 'user', message: { role: 'user', content: [result] } });
}
const answer = `You said: ${readFileSync(memory, 'utf8').trim().split('\n').join(', then: ')}`;
say([{ type: 'text', text: answer }]);
const usage = { input_tokens: prompt.length, output_tokens: answer.length };
print({ type: 'result', subtype: 'success', is_error: false, result: answer, usage });
