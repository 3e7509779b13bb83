import { loadSettings } from '@baton/config/settings';
import { BatonError } from '@baton/protocol/values';
import { type Command, settingFlags, textOf } from '../arguments/command.ts';
import { chosenBackend } from '../run/choose-backend.ts';
import { dropUnsupportedSettings } from '../run/drop-unsupported-settings.ts';
import { explained } from '../run/explain-error.ts';
import { AGENT_OPTIONS, agentOptions } from './run-options.ts';

export const chat: Command = {
  name: 'chat',
  summary: "Open the agent's own interface in this terminal.",
  usage: 'baton chat [options] ["first prompt"]',
  promptAfter: 'baton chat',
  options: AGENT_OPTIONS,
  async run(parsed, baton) {
    const settings = loadSettings({
      program: 'baton',
      cwd: textOf(parsed, 'cwd'),
      flags: settingFlags(chat, parsed),
    });
    const warn = (warning: string) => void process.stderr.write(`warning: ${warning}\n`);
    for (const warning of settings.warnings) warn(warning);
    const backend = await chosenBackend(baton, settings);
    const asked = agentOptions(parsed, settings);
    const options = dropUnsupportedSettings(asked, settings, backend, warn);
    const prompt = parsed.positionals.join(' ');
    if (!backend.interactive) throw new Error('This backend has no interactive mode.');
    try {
      const { exitCode } = await backend.interactive({ ...options, ...(prompt ? { prompt } : {}) });
      return exitCode;
    } catch (error) {
      if (!BatonError.is(error)) throw error;
      const { hint } = await explained(error.toJSON(), { baton, backend, settings });
      throw new BatonError(error.code, error.message, { hint: hint ?? error.hint, cause: error });
    }
  },
};
