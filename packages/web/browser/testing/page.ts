import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import type { ServedPage } from './served-page.ts';

const WAIT_MS = 60_000;
let browser: Promise<Browser> | undefined;

/** The browser of all tests; what one of them opens the others do not see. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= chromium.connect(inject('browser'));
  return browser;
}

export type OpenOptions = BrowserContextOptions & {
  /** The view to open. */
  path?: string;
  /** Somebody who is not signed in. */
  stranger?: boolean;
};

/**
 * Opens the page in a window of its own, signed in. A test fails when the page throws, logs an error, or does something
 * that its security policy forbids.
 */
export async function openPage(
  served: ServedPage,
  { path = '/', stranger = false, ...options }: OpenOptions = {},
): Promise<Page> {
  const context = await (await sharedBrowser()).newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  // Sooner than the test gives up, so that it is known what was waited for.
  context.setDefaultTimeout(WAIT_MS);
  const problems: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  if (!stranger) {
    await context.addInitScript(
      (token) => localStorage.setItem('baton.token', token),
      served.token,
    );
  }
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    const isOurs = message.type() === 'error' && !isLostConnection(message.text());
    if (isOurs) problems.push(message.text());
  });
  await page.goto(`${served.url}/app${path}`);
  return page;
}

/** Browsers say themselves when a daemon does not answer; tests that stop it want that. */
function isLostConnection(text: string): boolean {
  return /ERR_CONNECTION|WebSocket connection to/.test(text);
}
