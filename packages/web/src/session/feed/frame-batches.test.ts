import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FrameBatches } from './frame-batches.ts';

let frames: (() => void)[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  frames = [];
  vi.stubGlobal('requestAnimationFrame', (act: () => void) => frames.push(act));
  vi.stubGlobal('cancelAnimationFrame', (id: number) => delete frames[id - 1]);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('events between two frames are delivered together, once', () => {
  const batches: number[][] = [];
  const collect = new FrameBatches<number>((items) => batches.push(items));
  collect.add(1);
  collect.add(2);
  frames[0]?.();
  vi.runAllTimers();
  collect.add(3);
  frames[1]?.();
  expect(batches).toEqual([[1, 2], [3]]);
});

test('a page that is hidden while it waits for a frame still gets everything', () => {
  const batches: number[][] = [];
  const collect = new FrameBatches<number>((items) => batches.push(items));
  collect.add(1);
  vi.advanceTimersByTime(100);
  collect.add(2);
  vi.advanceTimersByTime(100);
  expect(batches).toEqual([[1], [2]]);
});
