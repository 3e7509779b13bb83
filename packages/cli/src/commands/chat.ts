import { loadSettings } from '@baton/runtime';
import { chosenBackend } from '../choose-backend.ts';
import { type Command, settingFlags, textOf } from '../command.ts';
import { AGENT_OPTIONS, agentOptions } from './run-options.ts';

export const chat: Command = {
  name: 'chat',
  summary: "Open the agent's own interface in this terminal.",
  usage: 'baton chat [options] ["first prompt"]',
  options: AGENT_OPTIONS,
  async run(parsed) {
    const settings = loadSettings({
      program: 'baton',
      cwd: textOf(parsed, 'cwd'),
      flags: settingFlags(chat, parsed),
    });
    const backend = await chosenBackend(settings);
    const options = agentOptions(parsed, settings);
    const prompt = parsed.positionals.join(' ');
    if (!backend.interactive) throw new Error('This backend has no interface of its own.');
    const { exitCode } = await backend.interactive({ ...options, ...(prompt ? { prompt } : {}) });
    return exitCode;
  },
};
