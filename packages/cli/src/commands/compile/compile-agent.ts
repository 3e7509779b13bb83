import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { writeFileAtomically } from '@baton/config/paths/atomic-file';
import { readFileInside } from '@baton/config/paths/read-inside';
import { BatonError } from '@baton/protocol/values';
import {
  CHILD_FLAG,
  DESCRIBE,
  DESCRIPTION_FD,
  type Description,
} from '../../compiled-agent/child-arguments.ts';
import type { FileField, IncludedFiles } from '../../compiled-agent/included-files.ts';
import { bundleAgent } from './bundle-agent.ts';
import { fillTemplate } from './fill-template.ts';
import { readTemplate } from './read-template.ts';

/** Start of every compiled agent; see scripts/build. */
const PROGRAM_HEAD = '#!/usr/bin/env node\n(function (agent, files) {';

type CompileRequest = {
  /** The agent file. */
  file: string;
  /** The program to write; in the current folder, named after the agent, by default. */
  output?: string | undefined;
  warn(warning: string): void;
};

type CompiledAgent = { name: string; path: string; bytes: number };

/** Compiles an agent file into one program, and writes it only if its agent can be loaded. */
export async function compileAgent({ file, output, warn }: CompileRequest): Promise<CompiledAgent> {
  const source = resolve(file);
  checkSource(source, file);
  if (output !== undefined) checkOutput(resolve(output), source);
  const [template, code] = await Promise.all([readTemplate(), bundleAgent(source, warn)]);
  const { name, files } = await describe(fillTemplate(template, code, {}));
  const path = resolve(output ?? name);
  checkOutput(path, source);
  const program = fillTemplate(template, code, readFiles(files, dirname(source)));
  writeProgram(path, program);
  return { name, path, bytes: Buffer.byteLength(program) };
}

/** Runs the program in a child process that loads the agent and describes it. */
async function describe(program: string): Promise<{ name: string; files: FileField[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'baton-compile-'));
  try {
    const path = join(folder, 'agent');
    writeFileSync(path, program);
    const child = spawn(process.execPath, [path, CHILD_FLAG, DESCRIBE], {
      // What the agent file prints while it is loaded is not output of this command.
      stdio: ['ignore', 2, 2, 'pipe'],
    });
    const described = child.stdio[DESCRIPTION_FD] as Readable;
    const [json] = await Promise.all([text(described), once(child, 'close')]);
    if (json === '') {
      throw new BatonError('usage', 'The agent file ends the process when it is loaded.', {
        hint: 'It must only export the agent.',
      });
    }
    const description: Description = JSON.parse(json);
    if (!('error' in description)) return description;
    const { message, hint } = description.error;
    throw new BatonError('usage', message, hint === undefined ? {} : { hint });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkSource(source: string, given: string): void {
  if (statSync(source, { throwIfNoEntry: false })?.isFile()) return;
  throw new BatonError('usage', `The agent file does not exist: ${given}`, {
    hint: 'Pass the path of a file with export default defineAgent({ … }).',
  });
}

function checkOutput(path: string, source: string): void {
  if (path === source) {
    throw new BatonError('usage', 'The output would overwrite the agent file.', {
      hint: 'Choose another name with --output.',
    });
  }
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isDirectory()) {
    throw new BatonError('usage', `The output is a folder: ${path}`, {
      hint: `Add the name of the file, such as --output ${join(path, 'my-agent')}`,
    });
  }
  if (!existing || isProgram(path)) return;
  throw new BatonError('usage', `The output exists and is no compiled agent: ${path}`, {
    hint: 'Choose another name with --output, or delete the file.',
  });
}

/** Only a program that was compiled before is replaced. */
function isProgram(path: string): boolean {
  return readFileSync(path, 'utf8').startsWith(PROGRAM_HEAD);
}

function readFiles(files: readonly FileField[], folder: string): IncludedFiles {
  return Object.fromEntries(files.map((each) => [each.path, readIncluded(each, folder)]));
}

function readIncluded({ field, path }: FileField, folder: string): string {
  try {
    // The program may be given to others: an agent file of somebody must not put the files of this user into it.
    const content = readFileInside(folder, resolve(folder, path)).toString('utf8');
    if (field !== 'systemPromptFile') JSON.parse(content);
    return content;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `Cannot read ${field} "${path}": ${why}`, {
      hint: 'The path is relative to the agent file.',
      cause,
    });
  }
}

/** Replaces an older program as a whole: it may be running. */
function writeProgram(path: string, program: string): void {
  try {
    // A mistyped folder is an error.
    statSync(dirname(path));
    writeFileAtomically(path, program, { mode: 0o755 });
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BatonError('usage', `Cannot write ${path}: ${why}`, {
      hint: 'Choose another place with --output, or make its folder writable.',
      cause,
    });
  }
}
