import { randomBytes } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { agentsFolder } from '@baton/config/paths/agents-folder';
import { homeFolder } from '@baton/config/paths/home-folder';
import { object, parseJson, string } from '@baton/config/values/json';
import { isAlive } from '@baton/process';
import { readProcess } from '@baton/process/proc-fs';
import { BatonError } from '@baton/protocol/values';

const RECORD = 'installed.json';

/** Record of an agent that `baton backends install` has installed. */
export type InstalledAgent = {
  /** The name of the program, and of its folder in `~/.baton/agents`. */
  name: string;
  package: string;
  version: string;
  /** The checksum of the package that npm verified. */
  integrity: string;
  /** Time of the installation, in ISO format. */
  installedAt: string;
  /** The packages whose install scripts were run, with their versions. */
  scripts: string[];
};

/** The record of an installed agent; undefined if Baton did not install it. */
export function installedAgent(
  name: string,
  home: string = homeFolder(),
): InstalledAgent | undefined {
  const record = object(parseJson(textOf(join(agentFolder(name, home), RECORD))));
  return string(record.version) ? (record as InstalledAgent) : undefined;
}

/**
 * Makes the folder for a new release of an agent. Its name tells which process works in it, and nothing finds the agent
 * there before `switchTo`.
 */
export function createRelease(name: string, home: string = homeFolder()): string {
  const { pid, startTicks = 0 } = readProcess(process.pid) ?? { pid: process.pid };
  const owner = `${pid}-${startTicks}-${randomBytes(4).toString('hex')}`;
  const folder = join(agentsFolder(home), `.${name}-${owner}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Makes a complete release the one that is used, in one step, and removes the one before. */
export function switchTo(folder: string, record: InstalledAgent, home = homeFolder()): void {
  const { name } = record;
  writeFileSync(join(folder, RECORD), `${JSON.stringify(record, null, 2)}\n`);
  const before = releaseOf(name, home);
  const link = `${folder}.link`;
  symlinkSync(basename(folder), link);
  try {
    renameSync(link, agentFolder(name, home));
  } catch (cause) {
    rmSync(link, { force: true });
    throw new BatonError(
      'install_failed',
      `${agentFolder(name, home)} exists but was not made by "baton backends install".`,
      { hint: 'Move it away and try again.', cause },
    );
  }
  if (before && before !== folder) removeFolder(before);
}

/** Removes an agent; returns true if there was one. */
export function removeAgent(name: string, home: string = homeFolder()): boolean {
  const folder = releaseOf(name, home);
  if (folder === undefined) return false;
  // The link goes first: a search for the agent finds all of it or nothing.
  rmSync(agentFolder(name, home), { force: true });
  removeFolder(folder);
  return true;
}

/** Removes what installations left behind that were killed. */
export function removeLeftovers(home: string = homeFolder()): void {
  const names = namesIn(agentsFolder(home));
  const used = new Set(names.map((name) => releaseOf(name, home)));
  for (const name of names) {
    const [, pid, startTicks] = /^\..+-(\d+)-(\d+)-[0-9a-f]{8}(?:\.link)?$/.exec(name) ?? [];
    const folder = join(agentsFolder(home), name);
    if (pid === undefined || used.has(folder)) continue;
    if (isAlive({ pid: Number(pid), startTicks: Number(startTicks) })) continue;
    removeFolder(folder);
  }
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function agentFolder(name: string, home: string): string {
  return join(agentsFolder(home), name);
}

/** The folder that the link of an agent leads to. */
function releaseOf(name: string, home: string): string | undefined {
  try {
    return join(agentsFolder(home), readlinkSync(agentFolder(name, home)));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
