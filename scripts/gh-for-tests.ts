import type { TestProject } from 'vitest/node';
import { installedProgram, installProgram } from './debian-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** True if the command line of GitHub is installed. */
    hasGh: boolean;
  }
}

/** Installs the command line of GitHub if it is missing; tests that need it are skipped if that fails. */
export default function setup(project: TestProject): void {
  project.provide('hasGh', (installedProgram(['gh']) ?? installNow()) !== undefined);
}

function installNow(): string | undefined {
  console.error('Installing gh for the tests of pull requests. This is needed once.');
  return installProgram(['gh'], [['gh']]);
}
