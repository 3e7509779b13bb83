#!/usr/bin/env node
import { enableCompileCache } from 'node:module';
import { version } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
if (first === '--version' || first === '-V') {
  process.stdout.write(`${version}\n`);
} else {
  enableCompileCache?.();
  const { main } = await import('./cli.ts');
  await main(first === undefined ? [] : [first, ...rest]);
}
