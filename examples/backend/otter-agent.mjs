#!/usr/bin/env node
// An imaginary agent that stays for several prompts. It reads and prints JSON lines, asks before it writes or runs
// anything unless it is started with --free, and remembers its sessions in ~/.otter.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const [, resumed] = /^--resume=(.*)$/m.exec(process.argv.join('\n')) ?? [];
const isFree = process.argv.includes('--free');
const session = resumed ?? randomUUID();
const file = join(homedir(), '.otter', `${session}.json`);
const print = (event, rest = {}) => process.stdout.write(`${JSON.stringify({ event, ...rest })}\n`);
const STATUS = { auth: 401, rate_limited: 429, overloaded: 529, server_error: 500 };

let memory = [];
let stop = new AbortController();
let decide = () => {};

/** Asks, then does what was asked for, or what the person made of it. */
async function use(tool, input, act) {
  const call = randomUUID();
  print('tool', { call, tool, input });
  const decided = new Promise((resolve) => {
    decide = resolve;
  });
  if (!isFree) print('ask', { call, tool, input });
  const { allow, reason, edited } = isFree ? { allow: true } : await decided;
  const done = allow ? await act(edited ?? input) : { ok: false, output: reason ?? 'No.' };
  print('result', { call, ...done });
}

function shell({ command }) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { detached: true });
    stop.signal.addEventListener('abort', () => process.kill(-child.pid, 'SIGKILL'));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data;
      });
    }
    child.on('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function write({ path, content }) {
  writeFileSync(path, content);
  return { ok: true, output: '' };
}

const STEPS = {
  say: (text) => {
    for (const word of text.match(/\s*\S+\s*/g) ?? []) print('word', { text: word });
    print('said');
  },
  write: (input) => use('write_file', input, write),
  shell: (command) => use('shell', { command }, shell),
  fail: (kind) => print('failure', { status: STATUS[kind], message: kind }),
  hang: () => new Promise((resolve) => stop.signal.addEventListener('abort', resolve)),
};

async function turn({ text }) {
  stop = new AbortController();
  memory.push(text);
  mkdirSync(join(homedir(), '.otter'), { recursive: true });
  writeFileSync(file, JSON.stringify(memory));
  // A dot does not match U+2028.
  const script = /\[\{[^\n]*\}\]/.exec(text)?.[0];
  const steps = script ? JSON.parse(script) : [{ say: `${memory.length}. ${text}` }];
  for (const step of steps) {
    for (const [name, value] of Object.entries(step)) {
      if (!stop.signal.aborted) await STEPS[name](value);
    }
  }
  print('over');
}

const ORDERS = {
  prompt: (order) => void turn(order),
  decide: (order) => decide(order),
  stop: () => {
    stop.abort();
    decide({ allow: false });
  },
};

if (resumed) {
  try {
    memory = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    process.stderr.write('no such session\n');
    process.exit(3);
  }
}
print('hello', { session });
let rest = '';
// Not with readline, for which a line also ends at U+2028.
process.stdin.setEncoding('utf8').on('data', (data) => {
  const lines = `${rest}${data}`.split('\n');
  rest = lines.pop();
  for (const order of lines.map((line) => JSON.parse(line))) ORDERS[order.order](order);
});
process.stdin.on('end', () => process.exit(0));
