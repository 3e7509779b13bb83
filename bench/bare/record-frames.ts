import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '../world/leave-nothing.ts';
import { standIn } from '../world/stand-in.ts';

/** A program that passes everything on to another one and writes down what it was told. */
export type FrameRecorder = { binary: string; frames(): string[] };

/** Puts a recorder in front of a program. */
export function recorderOf(program: string): FrameRecorder {
  const record = join(scratchFolder(), 'frames.jsonl');
  const { binary } = standIn(`tee '${record}' | '${program}' "$@"`);
  return { binary, frames: () => readFileSync(record, 'utf8').trimEnd().split('\n') };
}
