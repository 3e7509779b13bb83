import { afterAll } from 'vitest';
import { endWorlds } from './baton.ts';

// This is run for every file of tests, also where several share a process. At the end of the file and not of the test,
// because tests run side by side.
afterAll(endWorlds);
