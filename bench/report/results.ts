import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Finding } from '../benchmark.ts';
import { type Machine, machineFacts } from './machine.ts';

const FOLDER = join(import.meta.dirname, '../results');

/** Findings of a benchmark, with date and machine. */
export type Result = {
  name: string;
  claim: string;
  date: string;
  machine: Machine;
  findings: Finding[];
};

/** Stores the findings of a benchmark. */
export function saveResult({ name, claim }: Benchmark, findings: Finding[]): void {
  const date = new Date().toISOString().slice(0, 10);
  const result: Result = { name, claim, date, machine: machineFacts(), findings };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(name), `${JSON.stringify(result, rounded, 2)}\n`);
}

/** Reads the last result of a benchmark; undefined if it never ran. */
export function readResult(name: string): Result | undefined {
  const file = fileOf(name);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function fileOf(name: string): string {
  return join(FOLDER, `${name}.json`);
}

/** More digits than these are noise. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(6)) : value;
}
