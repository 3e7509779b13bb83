import type { TestProject } from 'vitest/node';
import { ensureChromium } from './find-chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of the browser. */
    chromium: string;
  }
}

/** Makes sure that there is a browser before any test needs it. */
export default function setup(project: TestProject): void {
  project.provide('chromium', ensureChromium());
}
