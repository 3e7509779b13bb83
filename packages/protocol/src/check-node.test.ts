import { expect, test } from 'vitest';
import { checkNode } from './check-node.ts';

test.each(['22.14.0', '24.21.0', '100.1.0', undefined])('runs on Node %s', (version) => {
  expect(() => checkNode(version)).not.toThrow();
});

test.each(['22.13.1', '20.19.5'])('tells Node %s the required version', (version) => {
  expect(() => checkNode(version)).toThrow(
    `Baton requires Node 22.14 or newer; this is ${version}.`,
  );
});
