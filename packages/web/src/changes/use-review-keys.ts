import type { TrueChange } from '@baton/client';
import type { RefObject } from 'react';
import { useMay } from '../data/daemon.tsx';
import { scrollerOf } from '../design/scroller-of.ts';
import { useShortcutGroup } from '../guard/use-key-guard.ts';
import type { CurrentPlace } from './review-place.ts';
import type { OpenedFiles } from './use-opened-files.ts';
import type { ViewedMarks } from './viewed-marks.ts';

type Options = {
  files: readonly TrueChange[];
  opened: OpenedFiles;
  viewed: ViewedMarks;
  current: CurrentPlace | undefined;
  onGo: (place: CurrentPlace) => void;
  /** The element that contains the files. */
  frame: RefObject<HTMLElement | null>;
  filter: RefObject<HTMLInputElement | null>;
};

/** The keys of a review, as on GitHub: to go through files and hunks, and to comment. */
export function useReviewKeys(options: Options): void {
  const { files, opened, viewed, current, onGo, frame, filter } = options;
  const may = useMay('member');
  const index = files.findIndex(({ path }) => path === current?.path);
  const sectionOf = ({ path }: TrueChange) =>
    sectionsIn(frame).find((each) => each.dataset.path === path);
  const onScreen = () => files.find((file) => isOnScreen(sectionOf(file)));
  const go = (file: TrueChange | undefined, hunk?: number) =>
    file && onGo({ path: file.path, hunk, isByKey: true });
  const act = (action: (file: TrueChange) => void) => () => {
    const file = files[index] ?? onScreen();
    if (!file) return;
    action(file);
    if (index < 0) go(file);
  };
  const toFile = (step: 1 | -1) => () => go(index < 0 ? onScreen() : files[index + step]);
  const toHunk = (step: 1 | -1) => () => {
    const file = files[index];
    if (!file) return go(onScreen(), 0);
    const next = current?.hunk === undefined ? (step > 0 ? 0 : -1) : current.hunk + step;
    if (opened.has(file) && next >= 0 && next < hunksIn(sectionOf(file)).length)
      return go(file, next);
    const others = step > 0 ? files.slice(index + 1) : files.slice(0, index).reverse();
    const other = others.find(opened.has);
    if (other) go(other, step > 0 ? 0 : Math.max(0, hunksIn(sectionOf(other)).length - 1));
  };
  useShortcutGroup({
    j: toFile(1),
    k: toFile(-1),
    n: toHunk(1),
    p: toHunk(-1),
    v: act((file) => opened.mark(file, !viewed.has(file))),
    x: act((file) => opened.set(file, !opened.has(file))),
    '/': () => filter.current?.focus(),
    ...(may ? { c: act((file) => comment(sectionOf(file), current?.hunk ?? 0)) } : {}),
  });
}

function sectionsIn(frame: RefObject<HTMLElement | null>): HTMLElement[] {
  return [...(frame.current?.querySelectorAll<HTMLElement>('section[data-path]') ?? [])];
}

function hunksIn(section: HTMLElement | undefined): readonly Element[] {
  return [...(section?.querySelectorAll('[data-hunk]') ?? [])];
}

function isOnScreen(section: HTMLElement | undefined): boolean {
  if (!section) return false;
  const top = scrollerOf(section)?.getBoundingClientRect().top ?? 0;
  return section.getBoundingClientRect().bottom > top;
}

/** Opens a comment on the line that has the focus, or else on the first line of a hunk, or else on the file. */
function comment(section: HTMLElement | undefined, hunk: number): void {
  const focused = document.activeElement?.closest<HTMLElement>('button[data-line]');
  const row = section?.querySelector(`[data-hunk="${hunk}"]`);
  const line = focused ?? row?.querySelector<HTMLElement>('button[data-line]');
  const button = line ?? section?.querySelector<HTMLElement>('button[data-comment]');
  button?.click();
}
