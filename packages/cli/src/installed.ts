#!/usr/bin/env node
import { homedir } from 'node:os';
import { CodeCache } from './code-cache.ts';
import { start } from './start.ts';
import { version } from './version.ts';

type Cli = typeof import('./cli.ts');

/** This file is only used as CommonJS, as the `main.js` of the installed command. */
declare const require: NodeJS.Require;

start(async () => {
  const program = import.meta.dirname;
  const cache = `${homedir()}/.baton/cache/${version}-node-${process.version}`;
  const codeCache = new CodeCache({ program, cache, require });
  const cli = codeCache.require('./cli.js') as Cli;
  process.once('exit', (code) => {
    // After a failure much of the program has not been used.
    if (code === 0 && !process.env.NODE_DISABLE_COMPILE_CACHE) codeCache.save(cli.usedParts);
  });
  return cli;
});
