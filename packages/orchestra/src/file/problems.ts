import { isAbsolute, relative } from 'node:path';
import { positionOf } from '@baton/config/settings';
import { similarNames } from '@baton/config/values/similar-names';
import { BatonError } from '@baton/protocol';
import type { Path, Source } from './source.ts';

/** A text of another file, such as a prompt, and where the chains file refers to it. */
type Included = { path: string; text: string; offset: number };

type Problem = { order: number; message: string };

/** Collects the problems of a chains file, to report all of them at once. */
export class Problems {
  #file: { path: string; text: string; source: Source; cwd: string };
  #found: Problem[] = [];

  constructor(file: { path: string; text: string; source: Source; cwd: string }) {
    this.#file = file;
  }

  /** Adds a problem of a value, or of its key. */
  add(path: Path, text: string, part: 'key' | 'value' = 'value'): void {
    this.addAt(this.#file.source.offsetOf(path, part), text);
  }

  addAt(offset: number, text: string): void {
    this.#add(offset, placeIn(this.#file, offset, this.#file.cwd), text);
  }

  /** Adds a problem of an included file; it is listed where the chains file refers to that. */
  addIncluded(path: Path, included: Included, text: string): void {
    const order = this.#file.source.offsetOf(path, 'value');
    this.#add(order, placeIn(included, included.offset, this.#file.cwd), text);
  }

  throwIfAny(): void {
    if (this.#found.length === 0) return;
    const inOrder = this.#found.toSorted((a, b) => a.order - b.order);
    throw new BatonError('config_invalid', inOrder.map(({ message }) => message).join('\n'), {
      hint: 'Fix the file at the positions in the message.',
    });
  }

  #add(order: number, place: string, text: string): void {
    const message = `${place}: ${text}`;
    // An agent is part of each step that runs it.
    if (this.#found.some((each) => each.message === message)) return;
    this.#found.push({ order, message });
  }
}

function placeIn({ path, text }: { path: string; text: string }, offset: number, cwd: string) {
  const near = relative(cwd, path);
  const shown = near === '' || near.startsWith('..') || isAbsolute(near) ? path : near;
  return `${shown}:${positionOf(text, offset)}`;
}

/** Suggests names to replace an unknown one. */
export function instead(name: string, known: Iterable<string>, none: string): string {
  const guesses = similarNames(name, known).map((each) => `"${each}"`);
  if (guesses.length > 0) return `did you mean ${guesses.join(' or ')}?`;
  const all = [...known].map((each) => `"${each}"`);
  return all.length === 0 ? none : `write ${inWords(all)}.`;
}

/** A list in words, such as `a, b or c`. */
export function inWords(words: readonly string[], last = 'or'): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
