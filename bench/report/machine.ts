import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../world/paths.ts';

const BYTES_PER_GB = 1024 ** 3;

/** Environment of a measurement. */
export type Machine = {
  system: string;
  processor: string;
  cores: number;
  memoryGb: number;
  node: string;
  claude: string;
  codex: string;
};

export function machineFacts(): Machine {
  return {
    system: `${process.platform} ${process.arch}`,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / BYTES_PER_GB),
    node: process.versions.node,
    claude: versionOf('@anthropic-ai/claude-code'),
    codex: versionOf('@openai/codex'),
  };
}

function versionOf(agent: string): string {
  const manifest = join(ROOT, 'testbed/node_modules', agent, 'package.json');
  return JSON.parse(readFileSync(manifest, 'utf8')).version;
}
