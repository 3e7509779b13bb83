#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { version } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache?.();
  // Not awaited, which CommonJS could not do at this place: `main` reports every error itself.
  void import('./cli.ts').then(({ main }) => main(first === undefined ? [] : [first, ...rest]));
}
