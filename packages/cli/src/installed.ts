#!/usr/bin/env node
import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { start } from './start.ts';

/** This file is only used as CommonJS, as the `main.js` of the installed command. */
declare const require: NodeJS.Require;

start(async () => {
  cacheCode();
  return require('./cli.js');
});

/** Keeps compiled code between starts, in a folder that only its owner can enter; saves about 8 ms per start. */
function cacheCode(): void {
  const { HOME = '' } = process.env;
  if (!HOME.startsWith('/')) return;
  const folder = `${HOME}/.baton/cache`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    enableCompileCache(folder);
  } catch {
    // The start is slower without it, and that is all.
  }
}
