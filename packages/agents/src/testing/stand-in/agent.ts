import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ScriptStep } from '../../../../agent-tools/src/conformance/index.ts';
import { type Ended, type Tool, VOICES } from './voices.ts';

/**
 * A program in the place of an agent that does not run offline: `agent.ts FORMAT ARGUMENT...`. It plays the script in
 * its prompt, prints as that agent is documented to, and keeps its calls in `$HOME/calls.jsonl`.
 */
const [format = '', ...args] = process.argv.slice(2);
const home = process.env.HOME ?? '/nowhere';
const FAILURES: Readonly<Record<string, string>> = {
  rate_limited: 'Error: rate limit reached',
  overloaded: 'Error: overloaded',
  quota: 'Error: your quota is used up',
};

if (format === 'cursor' && args.includes('acp')) {
  keepCall();
  await import('../../backends/acp/testing/sdk-agent.ts');
} else if (args[0] === 'threads' && args[1] === 'fork') {
  keepCall();
  forkThread(args[2] ?? '');
} else {
  await main();
}

function keepCall(stdin?: string): void {
  appendFileSync(join(home, 'calls.jsonl'), `${JSON.stringify({ args, stdin })}\n`);
}

function forkThread(thread: string): void {
  if (process.env.STAND_IN_RELEASE === 'current') {
    process.stderr.write('The fork command has been deprecated.\n');
    process.exitCode = 1;
    return;
  }
  if (!existsSync(sessionFile(thread))) fail(`Error: Thread ${thread} not found`);
  const copy = `T-${randomUUID()}`;
  keepSession(copy);
  process.stdout.write(`${copy}\n`);
}

function sessionFile(id: string): string {
  return join(home, 'stand-in-sessions', id);
}

function keepSession(id: string): void {
  mkdirSync(dirname(sessionFile(id)), { recursive: true });
  writeFileSync(sessionFile(id), '');
}

function fail(words: string): never {
  process.stderr.write(`${words}\n`);
  process.exit(1);
}

/** The session to resume: `threads continue ID` of Amp, `--resume ID` of all others. */
function resumed(): string | undefined {
  if (args[0] === 'threads' && args[1] === 'continue') return args[2];
  const at = args.indexOf('--resume');
  return at === -1 ? undefined : args[at + 1];
}

/** The prompt: after `--say`, or on standard input, or the last argument. */
async function promptOf(): Promise<string> {
  const at = args.indexOf('--say');
  if (at !== -1) return args[at + 1] ?? '';
  const input = await text(process.stdin);
  return input !== '' ? input : (args.at(-1) ?? '');
}

async function main(): Promise<void> {
  if (format === 'amp' && !process.env.AMP_API_KEY) return loginPrompt();
  const prompt = await promptOf();
  keepCall(prompt);
  const before = resumed();
  if (before !== undefined && !existsSync(sessionFile(before))) {
    fail(`Error: ${format === 'amp' ? 'Thread' : 'Session'} ${before} not found`);
  }
  const session = before ?? (format === 'amp' ? `T-${randomUUID()}` : randomUUID());
  keepSession(session);
  const voice = VOICES[format]?.();
  const print = (lines: readonly object[] = []) => {
    for (const line of lines) process.stdout.write(`${JSON.stringify(line)}\n`);
  };
  print(voice?.begin(session, prompt));
  let answer = '';
  for (const step of stepsOf(prompt)) {
    if ('think' in step) print(voice?.think?.(step.think));
    if ('say' in step) {
      answer = step.say;
      if (voice) print(voice.say(step.say));
      else process.stdout.write(`${step.say}\n`);
    }
    if ('shell' in step || 'write' in step) {
      const id = randomUUID();
      print(voice?.started(id, step));
      print(voice?.ended(id, step, await use(step)));
    }
    if ('fail' in step) fail(FAILURES[step.fail] ?? step.fail);
    if ('hang' in step) await new Promise((done) => setTimeout(done, 2 ** 30));
  }
  print(voice?.done(answer));
}

/** Waits as Amp does without a key. */
async function loginPrompt(): Promise<void> {
  process.stdout.write('No API key found. Starting login flow...\n');
  await new Promise((done) => setTimeout(done, 2 ** 30));
}

function stepsOf(prompt: string): ScriptStep[] {
  const script = /\[\[(.*)\]\]/s.exec(prompt)?.[1];
  return script === undefined ? [{ say: prompt.trim() }] : JSON.parse(script);
}

async function use(tool: Tool): Promise<Ended> {
  if ('write' in tool) {
    writeFileSync(resolve(tool.write.path), tool.write.content);
    return { output: '', exitCode: 0 };
  }
  const child = spawn('/bin/sh', ['-c', tool.shell]);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
    });
  }
  const exited = Promise.withResolvers<number | null>();
  child.once('exit', exited.resolve);
  const exitCode = (await exited.promise) ?? 1;
  return { output, exitCode };
}
