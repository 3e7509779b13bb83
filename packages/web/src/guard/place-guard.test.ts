import { beforeEach, expect, test } from 'vitest';
import { type Box, PlaceGuard, STABLE_AFTER_MS } from './place-guard.ts';

const OVER = { x: 10, y: 110 };
const ELSEWHERE = { x: 10, y: 900 };
let now: number;
let guard: PlaceGuard;

beforeEach(() => {
  now = 0;
  guard = new PlaceGuard(() => now);
  guard.update(at(100), ELSEWHERE);
});

test('a new control ignores clicks for a while', () => {
  now = STABLE_AFTER_MS - 1;
  expect(guard.isStable()).toBe(false);
  now = STABLE_AFTER_MS;
  guard.update(at(100), ELSEWHERE);
  expect(guard.isStable()).toBe(true);
});

test('a control that moves under the pointer ignores clicks for a while', () => {
  now = 1000;
  guard.update(at(50), OVER);
  expect(guard.isStable()).toBe(true);
  guard.update(at(150), ELSEWHERE);
  guard.update(at(100), OVER);
  expect(guard.isStable()).toBe(false);
  now += STABLE_AFTER_MS;
  expect(guard.isStable()).toBe(true);
});

test('a control accepts clicks when the pointer moves to it', () => {
  now = 1000;
  guard.update(at(100), ELSEWHERE);
  guard.update(at(100), OVER);
  expect(guard.isStable()).toBe(true);
});

test('a control that stays under the pointer, or moves elsewhere, accepts clicks', () => {
  now = 1000;
  guard.update(at(90), OVER);
  guard.update(at(500), OVER);
  guard.update(at(100), undefined);
  expect(guard.isStable()).toBe(true);
});

function at(top: number): Box {
  return { left: 0, top, right: 100, bottom: top + 100 };
}
