import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { TaskRow } from '@baton/store';
import { expect } from 'vitest';
import type { TaskStory } from './task-story.ts';

/**
 * Checks that the log contains the agent's text from the beginning and in order, and all of it for a completed task.
 * The agent writes to its ledger before it prints, so the ledger may contain more.
 */
export function checkLedger({ task, text }: TaskStory, { status }: TaskRow): void {
  const ledger = readLedger(task.ledger);
  const about = `the ${text.length} characters of task ${task.taskId}`;
  const said = readLengths(task.ledger);
  // A second agent would begin again.
  expect(said, `the ledger of task ${task.taskId}`).toEqual(said.toSorted((a, b) => a - b));
  if (text !== '') expect(ledger.get(text.length), about).toBe(checksum(text));
  if (status === 'COMPLETED') expect(text, about).toBe(task.words);
}

/** Reads the text lengths in the order in which they were recorded. */
function readLengths(path: string): number[] {
  return linesOf(path).map((line) => Number.parseInt(line, 10));
}

function linesOf(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** Reads the checksums by text length. */
function readLedger(path: string): Map<number, string> {
  return new Map(
    linesOf(path).map((line) => {
      const [characters = '', sum = ''] = line.split(' ');
      return [Number(characters), sum];
    }),
  );
}

function checksum(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
