#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { version } from './version.ts';

const NEEDED = 24;

const [first, ...rest] = process.argv.slice(2);
if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `error (usage): Baton needs Node ${NEEDED} or newer, and this is ${process.versions.node}.\nhint: Install it from your system, or with "npm install -g node@${NEEDED}".\n`,
  );
  process.exitCode = 2;
} else if (first === '--version' || first === '-V') {
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache?.();
  // Not awaited, which CommonJS could not do at this place: `main` reports every error itself.
  void import('./cli.ts').then(({ main }) => main(first === undefined ? [] : [first, ...rest]));
}
