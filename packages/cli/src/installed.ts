#!/usr/bin/env node
import { CodeCache } from './code-cache.ts';
import { start } from './start.ts';
import { version } from './version.ts';

type Cli = typeof import('./cli.ts');

/** This file is only used as CommonJS, as the `main.js` of the installed command. */
declare const require: NodeJS.Require;
/** The hash of the files that were built with it. */
declare const BATON_BUILD: string;

start(async () => {
  const codeCache = new CodeCache({
    program: import.meta.dirname,
    cache: cacheFolder(),
    require,
  });
  const cli = codeCache.require('./cli.js') as Cli;
  process.once('exit', (code) => {
    // After a failure much of the program has not been used.
    if (code === 0) codeCache.save(cli.usedParts);
  });
  return cli;
});

/** Nothing is cached without a home folder, or when caching is turned off. */
function cacheFolder(): string | undefined {
  const { HOME = '', NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (!HOME.startsWith('/') || NODE_DISABLE_COMPILE_CACHE) return undefined;
  const { version: node, arch } = process;
  return `${HOME}/.baton/cache/baton-${version}-${BATON_BUILD}-node-${node}-${arch}`;
}
