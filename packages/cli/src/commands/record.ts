import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Baton } from '@baton/agents/registry/baton';
import { homeFolder } from '@baton/config/paths/home-folder';
import { loadSettings } from '@baton/config/settings';
import { denyUnattended } from '@baton/engine/run/deny-request';
import { providerKeys } from '@baton/engine/run/withheld-variables';
import { BatonError, type LaunchedCommand, type RunResult } from '@baton/protocol/values';
import { type Command, type Parsed, settingFlags, textOf } from '../arguments/command.ts';
import { readPrompt } from '../arguments/prompt-source.ts';
import { chosenBackend } from '../run/choose-backend.ts';
import { dropUnsupportedSettings } from '../run/drop-unsupported-settings.ts';
import { showRun } from '../run/show-run.ts';
import { shortName } from '../view/short-name.ts';
import { AGENT_OPTIONS, RUN_OPTIONS, runOptions } from './run-options.ts';

/** Names of variables that may hold a secret. */
const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD)$/;
/** A shorter value may occur by chance. */
const SECRET_LENGTH = 8;

export const record: Command = {
  name: 'record',
  summary: 'Run one prompt and record all input and output of the agent.',
  usage: 'baton record [options] --out FOLDER "prompt"',
  promptAfter: 'baton record',
  options: {
    ...AGENT_OPTIONS,
    ...RUN_OPTIONS,
    out: {
      type: 'string',
      short: 'o',
      value: 'FOLDER',
      about: 'folder for the recording; must be new or empty',
      choices: 'files',
    },
  },
  notes: [
    'The folder contains meta.json (command, input, exit, timestamps), stdout and, if not empty, stderr.',
    'Keys and tokens from the environment and the paths of the home and working folders are redacted.',
    'Review a recording before you share it: it contains everything the agent read.',
    '"baton normalize --backend NAME FOLDER/stdout" converts it into events.',
  ],
  run: recordRun,
};

async function recordRun(parsed: Parsed, baton: Baton): Promise<number> {
  const folder = emptyFolder(textOf(parsed, 'out'));
  const tell = (line: string) => void process.stderr.write(`${line}\n`);
  const flags = settingFlags(record, parsed);
  const settings = loadSettings({ program: 'baton', cwd: textOf(parsed, 'cwd'), flags });
  const prompt = await readPrompt(parsed.positionals, undefined);
  const backend = await chosenBackend(baton, settings);
  const warn = (warning: string) => tell(`warning: ${warning}`);
  for (const warning of settings.warnings) warn(warning);
  const options = dropUnsupportedSettings(runOptions(parsed, settings), settings, backend, warn);
  const recording = new Recording();
  const run = backend.run({
    ...options,
    prompt,
    onRequest: denyUnattended,
    onLaunch: (command) => recording.launched(command),
    onSent: (text) => recording.sent(text),
    onPrinted: (line, stream) => recording.printed(line, stream),
  });
  const { permissionMode } = options;
  const typedBackend = shortName(baton, backend.id);
  const shown = { json: false, verbose: false, atTerminal: false, permissionMode, tell };
  const code = await showRun(run, { ...shown, typedBackend });
  const cwd = resolve(options.cwd ?? '.');
  const hide = await replacements(baton, { ...process.env, ...options.env }, cwd);
  recording.write(folder, await run.result, hide);
  tell(`Recorded to ${folder}.`);
  return code;
}

function emptyFolder(name: string | undefined): string {
  if (name === undefined) {
    throw new BatonError('usage', 'Missing --out: the folder for the recording.');
  }
  const folder = resolve(name);
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length === 0) return folder;
  throw new BatonError('usage', `${folder} is not empty.`, {
    hint: 'Choose a new or empty folder.',
  });
}

/** All that passes between Baton and the process of an agent. */
class Recording {
  #began = performance.now();
  #command: LaunchedCommand | undefined;
  #sent = '';
  #lines = { stdout: '', stderr: '' };
  #firstOutputMs: number | null = null;

  launched(command: LaunchedCommand): void {
    this.#command = command;
    this.#began = performance.now();
  }

  sent(text: string): void {
    this.#sent += text;
  }

  printed(line: string, stream: 'stdout' | 'stderr'): void {
    if (stream === 'stdout') this.#firstOutputMs ??= this.#ms();
    this.#lines[stream] += `${line}\n`;
  }

  write(folder: string, result: RunResult, hide: (text: string) => string): void {
    const { file = '', args = [] } = this.#command ?? {};
    const meta = {
      argv: [file, ...args],
      ...(this.#sent === '' ? {} : { stdin: this.#sent }),
      exit: { code: result.exitCode ?? null, signal: result.signal ?? null },
      timing: { firstOutputMs: this.#firstOutputMs, exitMs: this.#ms() },
    };
    const files = { 'meta.json': `${JSON.stringify(meta, null, 2)}\n`, ...this.#lines };
    for (const [name, text] of Object.entries(files)) {
      if (text !== '' || name === 'stdout') writeFileSync(join(folder, name), hide(text));
    }
  }

  #ms(): number {
    return Math.round(performance.now() - this.#began);
  }
}

/** Replaces secrets, and the places of this machine, in a text that others may read. */
async function replacements(
  baton: Baton,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<(text: string) => string> {
  const known = await providerKeys(baton.backends(), env);
  const secrets = Object.entries(env)
    .filter(([name]) => known.has(name) || SECRET_NAME.test(name))
    .flatMap(([, value]) => (value && value.length >= SECRET_LENGTH ? [value] : []));
  const pairs: [string, string][] = [
    ...secrets
      .sort((a, b) => b.length - a.length)
      .map((value): [string, string] => [value, 'REDACTED']),
    [cwd, '/workspace'],
    [env.HOME ?? homeFolder(), '/home/agent'],
  ];
  return (text) =>
    pairs.reduce((shorter, [value, name]) => {
      const inJson = JSON.stringify(value).slice(1, -1);
      return shorter.replaceAll(inJson, name).replaceAll(value, name);
    }, text);
}
