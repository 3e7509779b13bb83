import { executorMain } from '@baton/executor';
import type { Command } from '../command.ts';

export const executor: Command = {
  name: 'executor',
  summary: 'Carry out one task of a daemon, which is told on standard input.',
  usage: 'baton executor < payload.json',
  optionsOnly: true,
  options: {},
  notes: ['The daemon starts it by itself; nobody has to.'],
  // A connection that died without a word would keep this process for half a minute more.
  run: async () => process.exit(await executorMain()),
};
