import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { ensureChromium } from './find-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of the browser that all tests share. */
    browser: string;
  }
}

/** Starts one browser for all tests; each opens its own windows in it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await chromium.launchServer({
    executablePath: ensureChromium(),
    // The sandbox of the browser needs rights that root in a container lacks; it only sees our own daemon.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  project.provide('browser', browser.wsEndpoint());
  return () => browser.close();
}
