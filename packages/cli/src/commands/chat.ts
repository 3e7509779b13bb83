import { BatonError } from '@baton/protocol';
import { loadSettings } from '@baton/runtime';
import { chosenBackend } from '../choose-backend.ts';
import { type Command, settingFlags, textOf } from '../command.ts';
import { explained } from '../explain-error.ts';
import { fitSettings } from '../fit-settings.ts';
import { AGENT_OPTIONS, agentOptions } from './run-options.ts';

export const chat: Command = {
  name: 'chat',
  summary: "Open the agent's own interface in this terminal.",
  usage: 'baton chat [options] ["first prompt"]',
  promptAfter: 'baton chat',
  options: AGENT_OPTIONS,
  async run(parsed) {
    const settings = loadSettings({
      program: 'baton',
      cwd: textOf(parsed, 'cwd'),
      flags: settingFlags(chat, parsed),
    });
    const backend = await chosenBackend(settings);
    const options = fitSettings(agentOptions(parsed, settings), settings, backend, (warning) =>
      process.stderr.write(`warning: ${warning}\n`),
    );
    const prompt = parsed.positionals.join(' ');
    if (!backend.interactive) throw new Error('This backend has no interface of its own.');
    try {
      const { exitCode } = await backend.interactive({ ...options, ...(prompt ? { prompt } : {}) });
      return exitCode;
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const { hint } = await explained(error.toJSON(), { backend, settings });
      throw new BatonError(error.code, error.message, { hint: hint ?? error.hint, cause: error });
    }
  },
};
