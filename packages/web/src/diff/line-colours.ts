import { type ReactNode, useEffect, useState } from 'react';
import { LONGEST, loadColours } from '../markdown/highlight.tsx';
import type { DiffLine } from './parse-diff.ts';

export type LineColours = ReadonlyMap<DiffLine, ReactNode>;

/** The lines of a diff in the colours of their language, once they are there; nothing for long diffs. */
export function useLineColours(lines: readonly DiffLine[], path: string): LineColours | undefined {
  const [done, setDone] = useState<{ lines: readonly DiffLine[]; colours: LineColours }>();
  useEffect(() => {
    const length = lines.reduce((sum, { text }) => sum + text.length, 0);
    if (length === 0 || length > LONGEST) return;
    let isGone = false;
    // The lines are on the screen before they are highlighted.
    const timer = setTimeout(async () => {
      const loaded = await loadColours();
      if (isGone || !loaded) return;
      const colours = new Map<DiffLine, ReactNode>();
      for (const side of sidesOf(lines)) {
        const text = side.map((line) => line.text).join('\n');
        const nodes = loaded.colourLines(text, languageOf(path));
        for (const [index, line] of side.entries()) colours.set(line, nodes?.[index] ?? line.text);
      }
      setDone({ lines, colours });
    });
    return () => {
      isGone = true;
      clearTimeout(timer);
    };
  }, [lines, path]);
  return done?.lines === lines ? done.colours : undefined;
}

/** The text before and after the change, in pieces without gaps: a piece says nothing about the next one. */
function sidesOf(lines: readonly DiffLine[]): DiffLine[][] {
  const pieces: DiffLine[][] = [[]];
  for (const line of lines) {
    if (line.kind === 'gap') pieces.push([]);
    else pieces.at(-1)?.push(line);
  }
  return pieces.flatMap((piece) => [
    piece.filter(({ kind }) => kind !== 'add'),
    piece.filter(({ kind }) => kind !== 'remove'),
  ]);
}

/** The name of a language by the ending of a file name, or by a name such as `Makefile`. */
function languageOf(path: string): string {
  return /[^./]*$/.exec(path)?.[0].toLowerCase() ?? '';
}
